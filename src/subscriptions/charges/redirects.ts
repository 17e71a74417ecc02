import { type ChargeRequest } from '../../adapters/cardProviders/provider';
import { isWallet, type PageMethod } from '../../adapters/cardProviders/redirects';
import { paymentMethods } from '../../kit/paymentMethods';
import { type OpenedCharge } from './opening.model';

/** What a provider needs for a payment on a page, or for a later one by agreement; nothing for every other charge. */
export function redirectOf({
  redirect: method,
  agreement,
  kind,
  ipAddress,
  device,
}: OpenedCharge): Pick<ChargeRequest, 'redirect' | 'agreement'> {
  if (agreement !== null) return { agreement };
  if (method === null) return {};
  // A purchase keeps the device, and not the whole text by which a browser names itself.
  const userAgent = [device?.os, device?.model, device?.type].filter(Boolean).join(' ') || 'unknown';
  return {
    redirect: { method, savesMandate: kind === 'subscription', acceptedFrom: { address: ipAddress, userAgent } },
  };
}

const placeOf = (method: PageMethod) =>
  method === 'paypal' || isWallet(method) ? paymentMethods[method].title : 'the bank';

const textsOf = (method: PageMethod): Readonly<Record<string, string>> => ({
  authentication_failed: `The payment was canceled on the page of ${placeOf(method)}.`,
  authentication_expired: 'The payment was not made in time.',
});

/** The text of a decline. Providers write of a card. */
export const declineText = ({ redirect }: OpenedCharge, { reason, message }: { reason: string; message: string }) =>
  redirect === null ? message : (textsOf(redirect)[reason] ?? message);
