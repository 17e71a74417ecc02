import { now } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { endAccess, grantAccess } from '../../items/access/service';
import { publish } from '../../notifications/publish';
import { type FailureInput, type OpenedPeriod } from '../../../workflows/messages';
import { amountText, formatAmount } from '../billing/money';
import { periodEnd } from '../billing/periods';
import { getPaidCharge } from '../charges/model';
import { recordTransition, Subscription, type SubscriptionState } from '../model';
import { getEventFacts, type EventFacts } from './model';
import { presentFailure, presentPayment } from './presenter';

/** The transitions of a subscription's life. Each step of its workflow may run twice; its effect happens once. */

/** Access outlasts a renewing period by this much, so that a slow renewal never flickers (subscriptions 3). */
const settleMarginMs = 3_600_000;

/** Who wrote a transition: the run that an operator can open. */
export interface WorkflowRun {
  runId: string;
}

/** The first period begins with the money: access first, then the events, in one transaction. */
export function activateSubscription(subscriptionId: number, run: WorkflowRun): Promise<OpenedPeriod> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return { periodEndMs: row.currentPeriodEnd?.getTime() ?? 0 };
    const charge = await getPaidCharge(subscriptionId, 1, inTransaction);
    const facts = await getEventFacts(subscriptionId, inTransaction);
    const startsAt = charge.settledAt ?? now();
    const endsAt = periodEnd(startsAt, 1, { quantity: row.periodQuantity, period: row.period });
    await moveTo(row, 'active', 'first payment', run, inTransaction, {
      anchorAt: startsAt,
      currentPeriodStart: startsAt,
      currentPeriodEnd: endsAt,
      cycle: 1,
    });
    const access = await grantAccess(inTransaction, {
      merchantId: row.merchantId,
      account: { id: row.accountId, uuid: facts.accountUuid, merchantUuid: facts.merchantUuid },
      itemId: row.itemId,
      accessFeeId: row.accessFeeId,
      source: 'subscription',
      sourceId: row.id,
      ipAddress: row.ipAddress,
      startsAt,
      expiresAt: new Date(endsAt.getTime() + settleMarginMs),
    });
    const payment = describePayment(row, facts, charge.amountMinor, 'success');
    const { accountId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'access.granted', accountId, dedupeKey: `${row.token}:granted:1`, resource: access },
      { type: 'subscribe.success', accountId, dedupeKey: `${row.token}:success`, resource: payment },
    ]);
    return { periodEndMs: endsAt.getTime() };
  });
}

/** The subscription never began: no access, nothing charged, and the app is told why. */
export function failSubscription({ subscriptionId, reason, message }: FailureInput, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return;
    await moveTo(row, 'incomplete_expired', reason, run, inTransaction, {
      endedAt: now(),
      failureReason: reason,
      failureMessage: message,
    });
    const { accountId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'subscribe.failed', accountId, dedupeKey: `${row.token}:failed`, resource: presentFailure(row, message) },
    ]);
  });
}

/** The paid time is over and no other period follows it. */
export function expireSubscription(subscriptionId: number, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'active') return;
    const endedAt = row.currentPeriodEnd ?? now();
    await moveTo(row, 'expired', 'not renewed', run, inTransaction, { endedAt });
    await endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, endedAt);
    const facts = await getEventFacts(subscriptionId, inTransaction);
    const payment = describePayment(row, facts, row.priceMinor, 'expired');
    const { accountId, itemId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'access.revoked', accountId, dedupeKey: `${row.token}:revoked`, resource: { item_id: itemId } },
      { type: 'subscribe.expired', accountId, dedupeKey: `${row.token}:expired`, resource: payment },
    ]);
  });
}

function lockSubscription(id: number, inTransaction: Transaction): Promise<Subscription> {
  const lock = inTransaction.LOCK.UPDATE;
  return Subscription.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
}

async function moveTo(
  row: Subscription,
  state: SubscriptionState,
  reason: string,
  run: WorkflowRun,
  inTransaction: Transaction,
  changes: Partial<Subscription>,
): Promise<void> {
  const fromState = row.state;
  const version = row.version + 1;
  await row.update({ ...changes, state, version, updatedAt: now() }, { transaction: inTransaction });
  await recordTransition(inTransaction, {
    merchantId: row.merchantId,
    subscriptionId: row.id,
    sequence: version + 1,
    fromState,
    toState: state,
    reason,
    actor: 'workflow',
    workflowRunId: run.runId,
  });
}

function describePayment(row: Subscription, facts: EventFacts, amountMinor: number, status: string) {
  const amounts = { plain: amountText(amountMinor, row.currency), formatted: formatAmount(amountMinor, row.currency) };
  return presentPayment(row, amounts, { ...facts, status, at: now() });
}
