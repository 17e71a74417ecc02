import { baseUrl } from '../../adapters/settings';

/** Stripe reaches only public addresses, and wallets need https. */
export const publicDomain = findPublicDomain(baseUrl);

function findPublicDomain(address: string): string | undefined {
  const { protocol, hostname } = new URL(address);
  const isPrivate = hostname === 'localhost' || /^[\d.]+$|^\[/.test(hostname) || !hostname.includes('.');
  return protocol === 'https:' && !isPrivate ? hostname : undefined;
}
