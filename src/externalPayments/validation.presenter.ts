import { type ExternalPayment } from './externalPayments.model';

/** The two resources of a failed claim: the store's, and for subscriptions also that of any subscription. */
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
