import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import { type NewEvent } from '../../../notifications/events';
import { publish } from '../../../notifications/publish';
import { type Actor, type Standing, type StepInput } from '../../../../workflows/messages';
import { firstCharge, payable, percentOff } from '../../billing/discounts';
import { amountText, formatAmount } from '../../billing/money';
import { monthlyMinor } from '../../billing/proration';
import { writeAudit } from '../../../audit/service';
import { recordMovement } from '../../../reports/ledger/service';
import {
  findStandingAfter,
  hasStepOf,
  recordTransition,
  Subscription,
  type SubscriptionFacts,
  type SubscriptionState,
} from '../../model';
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

/**
 * Takes a step unless it has been taken, and answers how the subscription stands after it: also where later steps have
 * been taken since, as the run that asks again goes through those once more too.
 */
export function takeStep(
  input: StepInput,
  run: WorkflowRun,
  decide: (moment: Moment) => Promise<Outcome> | Outcome,
): Promise<Standing> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(input.subscriptionId, inTransaction);
    if (row.version > input.version) return standingAfter(row, input.version, inTransaction);
    const facts = await getEventFacts(row.id, inTransaction);
    const at = new Date(input.atMs);
    const { changes, reason, events = [] } = await decide({ row, facts, at, inTransaction });
    const { actor } = input;
    const isFirst = actor !== undefined && !(await hasStepOf(inTransaction, row.id, actor.requestId));
    await change(row, changes, { reason, at, run, actor }, inTransaction);
    if (events.length > 0)
      await publish(
        inTransaction,
        row.merchantId,
        events.map((event) => ({ at, ...event })),
      );
    if (isFirst) await auditDeed(inTransaction, row, actor);
    return standingOf(row);
  });
}

/** What somebody else did to the subscriber stands in the merchant's log, once however many steps it took. */
async function auditDeed(inTransaction: Transaction, row: Subscription, actor: Actor): Promise<void> {
  const { accountId: actorAccountId, actedBy, requestId, audited: action } = actor;
  if (action === undefined) return;
  const { merchantId, token: objectId } = row;
  const deed = { action, objectType: 'subscription', objectId, requestId };
  await writeAudit(inTransaction, { merchantId, actorAccountId, actedBy, ...deed });
}

/** How a subscription stood after the step that was taken at a version. What was written before that was kept: as it is. */
async function standingAfter(row: Subscription, version: number, inTransaction: Transaction): Promise<Standing> {
  return (await findKept(row, version, inTransaction))?.standing ?? standingOf(row);
}

/**
 * How a subscription stood when it had begun, to the run that began it. Any other run begins where it stands now: the one
 * that lived its life is lost, and with it what was asked for in between.
 */
export async function standingOpened(
  row: Subscription,
  run: WorkflowRun,
  inTransaction: Transaction,
): Promise<Standing> {
  const kept = await findKept(row, 0, inTransaction);
  return kept?.runId === run.runId ? kept.standing : standingOf(row);
}

async function findKept(row: Subscription, version: number, inTransaction: Transaction) {
  const place = { subscriptionId: row.id, sequence: sequenceOf(version + 1) };
  const kept = await findStandingAfter(inTransaction, place);
  return kept && { standing: kept.standing as Standing, runId: kept.runId };
}

/** The submission is the first line of the history, and has no version. */
const sequenceOf = (version: number): number => version + 1;

export function lockSubscription(id: number, inTransaction: Transaction): Promise<Subscription> {
  const lock = inTransaction.LOCK.UPDATE;
  return Subscription.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
}

/** How a subscription stands, as its workflow keeps it. Instants become milliseconds; null is absent. */
export function standingOf(row: Subscription): Standing {
  const { state } = row;
  if (!hasBegun(state)) throw new Error(`a subscription has not begun: ${row.id}`);
  return {
    version: row.version,
    state,
    autoRenew: row.autoRenew,
    ...(!row.autoRenew && { isCanceled: row.canceledAt !== null }),
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

const hasBegun = (state: SubscriptionState): state is Standing['state'] =>
  state !== 'incomplete' && state !== 'incomplete_expired';

/** The row and its line in the history; each change is one version. */
export async function change(
  row: Subscription,
  changes: Partial<Subscription>,
  { reason, at, run, actor }: { reason: string; at: Date; run: WorkflowRun; actor?: Actor | undefined },
  inTransaction: Transaction,
): Promise<void> {
  const before = { state: row.state, ...revenueOf(row) };
  const version = row.version + 1;
  await row.update({ ...changes, version, updatedAt: at }, { transaction: inTransaction });
  const after = revenueOf(row);
  await recordTransition(inTransaction, {
    merchantId: row.merchantId,
    subscriptionId: row.id,
    sequence: sequenceOf(version),
    fromState: before.state,
    toState: row.state,
    reason,
    actor: actor ? `account:${actor.accountId}` : 'workflow',
    actedBy: actor?.actedBy ?? null,
    requestId: actor?.requestId ?? null,
    workflowRunId: run.runId,
    mrrDeltaMinor: after.mrrMinor - before.mrrMinor,
    ...(hasBegun(row.state) && { standing: standingOf(row) }),
    at,
  });
  if (after.counts === before.counts && after.mrrMinor === before.mrrMinor) return;
  await recordMovement(inTransaction, { row, ...after, sequence: sequenceOf(version), reason, at });
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

/** What an event tells of is the row as its step leaves it. */
export function afterwards({ row, facts, at }: Moment, changes: Partial<Subscription>) {
  return { row: { ...row.get(), ...changes }, facts, at };
}

/** The number that no charge has: where nothing is charged, nothing is taken off. */
export const noCharge = 0;

/** The resource of a payment's events; `charge`: which charge the amount is of, counted from 1. */
export function describePayment(
  { row, facts, at }: Pick<Moment, 'facts' | 'at'> & { row: SubscriptionFacts },
  amountMinor: number,
  status: string,
  charge = row.discountCycle,
) {
  const { currency, priceMinor } = row;
  const discountPercent = percentOfCharge(row, charge);
  const takenOffMinor = discountPercent === 0 ? 0 : priceMinor - discountedPrice(row, charge);
  const amounts = {
    plain: amountText(amountMinor, currency),
    formatted: formatAmount(amountMinor, currency),
    full: amountText(amountMinor + takenOffMinor, currency),
    discountPercent,
  };
  return presentPayment(row, amounts, { ...facts, status, at, isBilledNext: isBilledNext(row) });
}

/** Whether the period's end, or the trial's, brings a charge: not where it ends then, or pauses. */
export function isBilledNext(row: Pick<SubscriptionFacts, 'state' | 'autoRenew' | 'pauseAtPeriodEnd'>): boolean {
  return (row.state === 'active' || row.state === 'trialing') && row.autoRenew && !row.pauseAtPeriodEnd;
}

/** A day as mails write it. */
export function dayText(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
}
