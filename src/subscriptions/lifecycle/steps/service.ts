import { now } from '../../../adapters/clock';
import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { type Standing, type StepInput } from '../../../../workflows/messages';
import { firstCharge, payable, percentOff } from '../../billing/discounts';
import { amountText, formatAmount } from '../../billing/money';
import { monthlyMinor } from '../../billing/proration';
import { recordMovement } from '../../../reports/ledger/service';
import { recordTransition, Subscription, type SubscriptionFacts } from '../../model';
import { getEventFacts, type EventFacts } from '../model';
import { presentPayment } from '../presenter';

/**
 * How a step of a subscription's life is written: once, however often it is run, with its line in the history, its events
 * and its mails in one transaction. The workflow is the only caller.
 */

/** Who wrote a transition: the run that an operator can open. */
export interface WorkflowRun {
  runId: string;
}

/** What a step changes, and what it tells. */
export interface Outcome {
  changes: Partial<Subscription>;
  reason: string;
  events?: NewEvent[];
}

export interface Moment {
  row: Subscription;
  facts: EventFacts;
  /** When the step happens, in the merchant's time. */
  at: Date;
  inTransaction: Transaction;
}

/** Takes a step unless it has been taken, and answers how the subscription stands after it. */
export function takeStep(
  input: StepInput,
  run: WorkflowRun,
  decide: (moment: Moment) => Promise<Outcome> | Outcome,
): Promise<Standing> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(input.subscriptionId, inTransaction);
    if (row.version > input.version) return standingOf(row);
    const facts = await getEventFacts(row.id, inTransaction);
    const at = new Date(input.atMs);
    const { changes, reason, events = [] } = await decide({ row, facts, at, inTransaction });
    await change(row, changes, { reason, at, run }, inTransaction);
    if (events.length > 0)
      await publish(
        inTransaction,
        row.merchantId,
        events.map((event) => ({ at, ...event })),
      );
    return standingOf(row);
  });
}

export function lockSubscription(id: number, inTransaction: Transaction): Promise<Subscription> {
  const lock = inTransaction.LOCK.UPDATE;
  return Subscription.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
}

/** How a subscription stands, as its workflow keeps it. Instants become milliseconds; null is absent. */
export function standingOf(row: Subscription): Standing {
  const { state } = row;
  if (state === 'incomplete' || state === 'incomplete_expired')
    throw new Error(`a subscription has not begun: ${row.id}`);
  return {
    version: row.version,
    state,
    autoRenew: row.autoRenew,
    cycle: row.cycle,
    attempt: row.attempt,
    periodEndMs: row.currentPeriodEnd?.getTime() ?? 0,
    ...(row.trialStart &&
      row.trialEnd && { trial: { startMs: row.trialStart.getTime(), endMs: row.trialEnd.getTime() } }),
    pausesAtPeriodEnd: row.pauseAtPeriodEnd,
    ...(row.resumesAt && { resumesAtMs: row.resumesAt.getTime() }),
    dueMinor: row.dueMinor,
    ...(row.pastDueAt && {
      dunning: {
        graceDays: row.graceDays ?? 0,
        retryDays: row.retryDays ?? [],
        failedMs: row.pastDueAt.getTime(),
        retries: row.retryNo,
        sooner: row.soonerNo,
        ...(row.nextRetryAt && { nextRetryMs: row.nextRetryAt.getTime() }),
      },
    }),
    reminded: row.reminded,
  };
}

/** The row and its line in the history; each change is one version. */
export async function change(
  row: Subscription,
  changes: Partial<Subscription>,
  { reason, at, run }: { reason: string; at: Date; run: WorkflowRun },
  inTransaction: Transaction,
): Promise<void> {
  const before = { state: row.state, ...revenueOf(row) };
  const version = row.version + 1;
  await row.update({ ...changes, version, updatedAt: now() }, { transaction: inTransaction });
  const after = revenueOf(row);
  await recordTransition(inTransaction, {
    merchantId: row.merchantId,
    subscriptionId: row.id,
    sequence: version + 1,
    fromState: before.state,
    toState: row.state,
    reason,
    actor: 'workflow',
    workflowRunId: run.runId,
    mrrDeltaMinor: after.mrrMinor - before.mrrMinor,
    at,
  });
  if (after.counts === before.counts && after.mrrMinor === before.mrrMinor) return;
  await recordMovement(inTransaction, { row, ...after, sequence: version + 1, reason, at });
}

/** What the subscription brings in a month. It counts from its first charge on, while it is paid for or may still be. */
function revenueOf(row: Subscription): { counts: boolean; mrrMinor: number } {
  const counts = (row.state === 'active' || row.state === 'past_due') && row.discountCycle > 0;
  if (!counts) return { counts, mrrMinor: 0 };
  const priceMinor = discountedPrice(row, row.discountCycle);
  return { counts, mrrMinor: monthlyMinor({ priceMinor, quantity: row.periodQuantity, period: row.period }) };
}

/** The price of a period, less what the voucher takes off the charge of this number. */
export function discountedPrice(row: Discounted, charge: number, priceMinor = row.priceMinor): number {
  return payable(priceMinor, percentOfCharge(row, charge), row.currency);
}

/** The first charge of a subscription: with the setup fee. */
export function firstAmount(row: Discounted & Pick<Subscription, 'setupFeeMinor'>): number {
  return firstCharge(row.priceMinor, row.setupFeeMinor, percentOfCharge(row, 1), row.currency);
}

type Discounted = Pick<
  Subscription,
  'priceMinor' | 'currency' | 'discountPercent' | 'rebillPercent' | 'discountPeriod' | 'discountDuration'
>;

/** What the voucher takes off the charge of this number, counted from 1; 0 where it does not reach, and of no charge. */
function percentOfCharge(row: Discounted, charge: number): number {
  const { discountPercent: percent, rebillPercent, discountPeriod: period, discountDuration: duration } = row;
  if (percent === null || period === null || charge === 0) return 0;
  return percentOff({ percent, rebillPercent, period, duration }, charge);
}

/** The resource of a payment's events. */
export function describePayment(
  { row, facts, at }: Pick<Moment, 'facts' | 'at'> & { row: SubscriptionFacts },
  amountMinor: number,
  status: string,
) {
  const { currency, priceMinor, discountCycle } = row;
  const discountPercent = percentOfCharge(row, discountCycle);
  const takenOffMinor = discountPercent === 0 ? 0 : priceMinor - discountedPrice(row, discountCycle);
  const amounts = {
    plain: amountText(amountMinor, currency),
    formatted: formatAmount(amountMinor, currency),
    full: amountText(amountMinor + takenOffMinor, currency),
    discountPercent,
  };
  return presentPayment(row, amounts, { ...facts, status, at });
}

/** A day as mails write it. */
export function dayText(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
