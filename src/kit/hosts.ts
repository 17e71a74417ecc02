import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The host name in an address such as `https://www.example.org:8443/page`: ASCII, lower case, without port and final
 * dot.
 */
export function hostOfUrl(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (!parsed) return undefined;
  const host = domainToASCII(parsed.hostname).toLowerCase().replace(/\.$/, '');
  return host === '' ? undefined : host;
}

/**
 * The host name in a typed domain: `Example.org`, `*.example.org`, `example.org:443`, or the address of a page. Undefined
 * if there is none: a single word (except `localhost`), an e-mail address, a text with blanks.
 */
export function readDomain(typed: string): string | undefined {
  const text = typed.trim();
  if (/[\s@\\]/.test(text)) return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const host = hostOfUrl(url.replace(/^([^:]+:\/\/)\*\./, '$1'));
  if (host === undefined || host.length > 253) return undefined;
  const labels = host.split('.');
  // Browsers read `127.1` and `2130706433` as addresses, but here they are typing errors.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return isIPv4(host) && text.includes(host) ? host : undefined;
  const isName = labels.length > 1 && labels.every((part) => label.test(part));
  return isName || host === 'localhost' ? host : undefined;
}

/** A client with one IPv6 address controls the whole /64 network. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (plain !== undefined) return plain;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(gap).fill('0'), ...right].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
