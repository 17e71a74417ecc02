import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/**
 * Which addresses of the internet are for everyone. A merchant names where its webhooks go, so what it names must not be
 * a way into this machine's own network (reliability 2.5).
 */
const inside = new BlockList();

const networksOfIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by a carrier's customers
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, and where clouds tell machines about themselves
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3', // multicast, reserved, broadcast
];
/** Outside of 2000::/3 nothing is for everyone (unique local, link-local, multicast …); these are exceptions inside it. */
const networksOfIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

for (const network of networksOfIPv4) addSubnet(network, 'ipv4');
for (const network of networksOfIPv6) addSubnet(network, 'ipv6');

const everyone = new BlockList();
everyone.addSubnet('2000::', 3, 'ipv6');

/** False also for what is no address. IPv4 inside IPv6, in whatever spelling, is not for everyone. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return false;
  if (isIPv6(plain)) return everyone.check(plain, 'ipv6') && !inside.check(plain, 'ipv6');
  return !inside.check(plain, 'ipv4');
}

/** The address that was meant is not one that may be connected to. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export const resolveHost: Resolve = (hostname) => dns.lookup(hostname, { all: true });

/**
 * For a connection's `lookup`: what it answers is what is connected to, so that a name which means something else a
 * moment later gains nothing. One address that is not allowed, among several, refuses them all.
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

function addSubnet(network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  inside.addSubnet(address, Number(bits), family);
}
