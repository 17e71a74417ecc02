import { type ExternalPayment } from '../model';

/** The two resources of a claim that failed: the store's, and for subscriptions that of any subscription (wire C.4). */
export function presentFailures(
  { accountId, token }: ExternalPayment,
  { reason, message }: { reason: string; message: string },
  { accessFeeId, itemId }: { accessFeeId: number; itemId: number },
) {
  const about = { account_id: accountId, code: 422 as const, message, extras: { item_id: itemId, referrer: '' } };
  return {
    external: { ...about, external_payment_id: token, explain: message, reason },
    subscribe: { ...about, access_fee_id: accessFeeId, subscription_id: token, explain: { '422': message } },
  };
}
