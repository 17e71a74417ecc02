import { type NewEvent, type PaymentResource } from '../../notifications/events';
import { type Subscription } from '../subscriptions.model';
import { type EventFacts } from './lifecycle.model';
import { presentFailure } from './lifecycle.presenter';

/**
 * The events of a subscription's beginning. Clients know events of their own for iDEAL. A subscription by PayPal has the
 * events of one in an app store.
 */

interface Moment {
  row: Subscription;
  facts: EventFacts;
  at: Date;
}

export function begunEvents({ row, facts: { method }, at }: Moment, resource: PaymentResource): NewEvent[] {
  const { accountId, token } = row;
  const about = { accountId, at, dedupeKey: `${token}:success` };
  if (method === 'ideal') return [{ ...about, type: 'ideal.subscribe.success', resource }];
  const begun: NewEvent = { ...about, type: 'subscribe.success', resource };
  if (method !== 'paypal') return [begun];
  const external = { ...resource, external_payment_id: token };
  return [
    { ...about, dedupeKey: `${token}:success:paid`, type: 'external.payment.success', resource: external },
    { ...about, dedupeKey: `${token}:success:begun`, type: 'external.subscribe.success', resource },
    begun,
  ];
}

export function failedEvents(
  { row, facts: { method }, at }: Moment,
  { reason, message }: { reason: string; message: string },
): NewEvent[] {
  const { accountId, token } = row;
  const about = { accountId, at, dedupeKey: `${token}:failed` };
  const resource = presentFailure(row, message);
  if (method === 'ideal') return [{ ...about, type: 'ideal.subscribe.failed', resource }];
  const failed: NewEvent = { ...about, type: 'subscribe.failed', resource };
  if (method !== 'paypal') return [failed];
  const { account_id, code, extras } = resource;
  const external = { account_id, code, message, extras, external_payment_id: token, explain: message, reason };
  return [
    { ...about, dedupeKey: `${token}:failed:paid`, type: 'external.payment.failed', resource: external },
    { ...about, dedupeKey: `${token}:failed:begun`, type: 'external.subscribe.failed', resource },
    failed,
  ];
}
