import { type NewEvent, type OneTimePaymentResource } from '../../notifications/events';
import { type Payment } from './payments.model';
import { type PaymentFacts } from './paymentSteps.model';
import { presentFailure } from './paymentSteps.presenter';

/**
 * The events of a payment's outcome. Clients know events of their own for iDEAL and for PayPal. Every other method has
 * those of cards.
 */

type Method = Pick<PaymentFacts, 'method'>;

export function paidEvent(row: Payment, { method }: Method, resource: OneTimePaymentResource): NewEvent {
  const { accountId, token } = row;
  const about = { accountId, dedupeKey: `${token}:success` };
  if (method === 'paypal') {
    const external = { subscription_id: '', current_period_end: 0, external_payment_id: token };
    return { ...about, type: 'external.payment.success', resource: { ...resource, ...external } };
  }
  return { ...about, type: method === 'ideal' ? 'payment.ideal.success' : 'payment.card.success', resource };
}

export function failedEvent(
  row: Payment,
  { method }: Method,
  { reason, message }: { reason: string; message: string },
): NewEvent {
  const { accountId, token } = row;
  const about = { accountId, dedupeKey: `${token}:failed` };
  const resource = presentFailure(row, message);
  if (method === 'paypal') {
    const { account_id, code, extras } = resource;
    const external = { account_id, code, message, extras, external_payment_id: token, explain: message, reason };
    return { ...about, type: 'external.payment.failed', resource: external };
  }
  return { ...about, type: method === 'ideal' ? 'payment.ideal.failed' : 'payment.card.failed', resource };
}
