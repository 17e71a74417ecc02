import { seal, unseal } from '../../adapters/sealing';
import { baseUrl } from '../../adapters/settings';
import { findHeldAccess } from '../../entitlements/running';
import { getSellableFee } from '../../items/accessFees/accessFees';
import { type Caller } from '../../kit/auth';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { returnUrlOf } from '../charges/returnUrls';
import { refuseAllBut } from '../methods/methods';
import { createPayment } from '../payments/payments';
import { createSubscription } from '../submissions';
import { findBegunPayment, getOfferNames, type BegunPayment } from './paypal.model';
import { type ExternalPaymentInput } from './paypal.schemas';

/**
 * Purchases by PayPal of clients that want an address at once. The charge begins in the run of the purchase, so the
 * address is that of our own page, which waits for the page of PayPal and sends the browser there.
 */

const sealingPurpose = 'external payment';

/** Begins a purchase. An account that has access already pays nothing, and gets the id of its access. */
export async function createExternalPayment(caller: Caller, input: ExternalPaymentInput, request: RequestFacts) {
  const { origin, access_fee: feeId, payment_method: method = 'paypal' } = input;
  refuseAllBut('paypal', method);
  const fee = await getSellableFee(caller, feeId);
  const id = await findHeldAccess(caller.accountId, fee.itemId);
  if (id !== undefined) return { id };
  const kind = fee.accessType === 'subscription' ? 'subscription' : 'payment';
  const token = await submit(caller, kind, input, request);
  const { business, itemName } = await getOfferNames(fee.id, caller.merchantId);
  return {
    endpoint: `${baseUrl}/payments/external/${seal(sealingPurpose, token).toString('base64url')}`,
    business,
    item_name: itemName,
    currency_code: fee.currency,
    return: returnUrlOf(kind, origin),
    cancel_return: origin,
  };
}

async function submit(
  caller: Caller,
  kind: BegunPayment['kind'],
  { origin, ...input }: ExternalPaymentInput,
  request: RequestFacts,
): Promise<string> {
  const purchase = { ...input, payment_method: 'paypal', referrer: origin, return_url: origin } as const;
  if (kind === 'payment') return (await createPayment(caller, purchase, request)).transaction;
  const submitted = await createSubscription(caller, purchase, request);
  return (submitted instanceof Answer ? submitted.body : submitted).subscription_id;
}

/** What the page of a purchase does. `waiting`: PayPal's page is not known yet. */
export interface Continuation {
  step: 'waiting' | 'redirect' | 'paid' | 'closed';
  merchantUuid: string;
  /** The page of PayPal, or the page of the shop. */
  url: string | undefined;
}

/** Undefined if the link is not valid. */
export async function findContinuation(link: string): Promise<Continuation | undefined> {
  const token = unseal(sealingPurpose, Buffer.from(link, 'base64url'));
  const begun = token === undefined ? undefined : await findBegunPayment(token);
  if (!begun) return undefined;
  const { merchantUuid, returnUrl, redirectUrl, kind } = begun;
  const step = stepOf(begun);
  if (step === 'redirect' && redirectUrl !== null) return { step, merchantUuid, url: redirectUrl };
  return { step, merchantUuid, url: returnUrl === null ? undefined : returnUrlOf(kind, returnUrl) };
}

function stepOf({ status, state, redirectUrl }: BegunPayment): Continuation['step'] {
  if (status === 'paid' || status === 'processing') return 'paid';
  if (status === 'declined' || state !== 'incomplete') return 'closed';
  return status === 'requires_action' && redirectUrl !== null ? 'redirect' : 'waiting';
}
