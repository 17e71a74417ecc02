import { merchantNow } from '../../adapters/clock';
import { type Transaction } from '../../adapters/postgres/connection';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { getEventFacts } from '../lifecycle/lifecycle.model';
import { describePayment } from '../lifecycle/steps';
import { Subscription } from '../subscriptions.model';
import { Charge, getPurchase, type Purchase } from './charges.model';
import { presentPaymentAction, presentSubscriptionAction } from './charges.presenter';

interface Action {
  reference: string;
  redirectUrl: string;
}

/** Publishes the page where the payer authenticates and, for a first payment, that the payment is pending. */
export async function publishAction(
  chargeId: number,
  dedupeKey: string,
  action: Action,
  inTransaction: Transaction,
): Promise<void> {
  const purchase = await getPurchase(chargeId, inTransaction);
  const { accountId, merchantId, kind } = purchase;
  if (kind === 'subscription') {
    const { amountMinor } = await Charge.findByPk(chargeId, { rejectOnEmpty: true, transaction: inTransaction });
    return publishSubscriptionAction(purchase, { ...action, amountMinor }, dedupeKey, inTransaction);
  }
  const resource = presentPaymentAction(purchase, action);
  const type = purchase.method === 'ideal' ? 'payment.ideal.requires.action' : 'payment.card.requires.action';
  await publish(inTransaction, merchantId, [{ accountId, dedupeKey, type, resource }]);
}

/**
 * Like `publishAction`, for a charge of a subscription, or for the card of a subscription that begins without a charge.
 */
export async function publishSubscriptionAction(
  purchase: Purchase,
  { amountMinor, ...action }: Action & { amountMinor: number },
  dedupeKey: string,
  inTransaction: Transaction,
): Promise<void> {
  const { accountId, merchantId } = purchase;
  const resource = presentSubscriptionAction(purchase, action);
  const events: NewEvent[] = [{ accountId, dedupeKey, type: 'subscribe.requires.action', resource }];
  const pending = await pendingEvents(purchase, amountMinor, dedupeKey, inTransaction);
  await publish(inTransaction, merchantId, [...events, ...pending]);
}

/**
 * Repeats the event with the page for the authentication, after another submission of a payment that waits for its
 * payer.
 */
export async function repeatAction(paymentId: number, requestId: string, inTransaction: Transaction): Promise<void> {
  const charge = await Charge.findOne({ where: { paymentId, status: 'requires_action' }, transaction: inTransaction });
  if (!charge?.reference || !charge.redirectUrl) return;
  const { id, idempotencyKey, reference, redirectUrl } = charge;
  await publishAction(id, `${idempotencyKey}:action:${requestId}`, { reference, redirectUrl }, inTransaction);
}

/** Publishes that the payer's bank decides on a direct debit of a subscription. */
export async function publishPending(
  charge: { id: number; merchantId: number; idempotencyKey: string },
  inTransaction: Transaction,
): Promise<void> {
  const purchase = await getPurchase(charge.id, inTransaction);
  const event = await describePending(purchase, charge.id, charge.idempotencyKey, inTransaction);
  await publish(inTransaction, charge.merchantId, [event]);
}

/** The pending events. Only a first payment is pending: a renewal that waits for its payer is past due. */
async function pendingEvents(purchase: Purchase, amountMinor: number, dedupeKey: string, inTransaction: Transaction) {
  return purchase.state === 'incomplete'
    ? [await describePending(purchase, amountMinor, dedupeKey, inTransaction)]
    : [];
}

async function describePending(
  { id }: Purchase,
  amountMinor: number,
  dedupeKey: string,
  inTransaction: Transaction,
): Promise<NewEvent> {
  const row = await Subscription.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction });
  const facts = await getEventFacts(row.id, inTransaction);
  const at = await merchantNow(row.merchantId, inTransaction);
  const resource = describePayment({ row, facts, at }, amountMinor, 'pending', row.discountCycle + 1);
  return { type: 'subscribe.pending', accountId: row.accountId, dedupeKey: `${dedupeKey}:pending`, resource, at };
}
