import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type UnmatchedPayment } from './unmatched.model';
import { type UnmatchedPaymentResponse } from './unmatched.schemas';

/** `amount` is in the major unit. */
export function presentUnmatched(payment: UnmatchedPayment, amount: number): z.output<typeof UnmatchedPaymentResponse> {
  const { id, reference, idempotencyKey, accountId, currency, state, failureMessage, settledAt } = payment;
  return {
    id,
    reference,
    purchase: idempotencyKey.replace(/:\d+:\d+$/, ''),
    customer_id: accountId ?? 0,
    amount,
    currency,
    status: state,
    failure: failureMessage ?? '',
    paid_at: unixSeconds(payment.paidAt),
    found_at: unixSeconds(payment.foundAt),
    refunded_at: state === 'refunded' ? unixSeconds(settledAt) : 0,
  };
}
