import { type RedirectCharge } from '../../adapters/cardProviders/redirects';
import { type OpenedCharge } from './opening.model';

/** What a provider needs for a payment on a page of the bank; nothing for every other charge. */
export function redirectOf({ redirect: method, kind, ipAddress, device }: OpenedCharge): { redirect?: RedirectCharge } {
  if (method === null) return {};
  // A purchase keeps the device, and not the whole text by which a browser names itself.
  const userAgent = [device?.os, device?.model, device?.type].filter(Boolean).join(' ') || 'unknown';
  return {
    redirect: { method, savesMandate: kind === 'subscription', acceptedFrom: { address: ipAddress, userAgent } },
  };
}
