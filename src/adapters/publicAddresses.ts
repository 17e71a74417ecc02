import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { environmentName, webhooksMayBePrivate } from './settings';

/**
 * Whether an address belongs to the public internet. Merchants choose the addresses of their webhooks and of the sign-in
 * of their staff, which must not lead into the private network of the installation. False for a text that is no address,
 * and for every IPv4 address inside an IPv6 address.
 */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return false;
  const parsed = ipaddr.parse(plain);
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast));
}

/** IPv6 addresses outside are not assigned. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** A connection to the address is not allowed. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

/** Node.js does not look up an address that is written as numbers, so it is checked here, before the connection. */
export function refusePrivateLiteral(url: string, isAllowed: (address: string) => boolean): void {
  const literal = literalOf(new URL(url).hostname);
  if (isIP(literal) !== 0 && !isAllowed(literal)) throw new PrivateAddressError('not a public address');
}

/** What is wrong with a merchant's URL as it is written. The address it resolves to is checked again at each connection. */
export function faultOfUrl(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && environmentName !== 'test') return 'be an https address';
  const literal = literalOf(hostname);
  const isPrivate = literal === 'localhost' || (isIP(literal) !== 0 && !isPublicAddress(literal));
  return isPrivate && !webhooksMayBePrivate ? 'be a public address' : undefined;
}

const literalOf = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export const resolveHost: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/**
 * A `lookup` for connections. The connection uses the checked address itself, so that a later change of the name has no
 * effect. If one of several addresses is not allowed, all are refused.
 */
export function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => isAllowed(address)))
          callback(new PrivateAddressError('not a public address'), '');
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}
