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

const texts: Readonly<Record<string, string>> = {
  authentication_failed: 'The payment was cancelled on the page of the bank.',
  authentication_expired: 'The payment was not made in time.',
};

/** The text of a decline. Providers write of a card. */
export const declineText = ({ redirect }: OpenedCharge, { reason, message }: { reason: string; message: string }) =>
  redirect === null ? message : (texts[reason] ?? message);
