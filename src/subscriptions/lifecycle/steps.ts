import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type NewEvent } from '../../notifications/events';
import { publish } from '../../notifications/publish';
import { type Actor, type SubscriptionSnapshot, type StepInput } from '../../../workflows/messages';
import { nextTimer } from '../../billing/schedule';
import { renewalDelayMs } from '../../billing/spread';
import { amountText, formatAmount } from '../../billing/money';
import { monthlyMinor } from '../../billing/proration';
import { dueOf } from '../../billing/tax/addedTax';
import { audit } from '../../audit/audit';
import { findBehind } from '../restorations';
import { recordMovement } from '../../ledger/ledger';
import { Subscription, type SubscriptionFacts, type SubscriptionState } from '../subscriptions.model';
import { findMessage, findTaken, sequenceOf, snapshotAfter } from './takenSteps';
import { hasStepOf, recordTransition } from '../transitions.model';
import { getEventFacts, type EventFacts } from './lifecycle.model';
import { presentPayment } from './lifecycle.presenter';
import { discountedPrice, dueFor, reductionOfCharge } from './prices';

/**
 * Writes a step of a subscription with its history, its events and its mails in one transaction. A step that runs again
 * changes nothing. Only the workflow takes steps.
 */

/** The run that wrote a transition, for the operator. */
export interface WorkflowRun {
  runId: string;
  workflowId?: string;
}

/** A decision of `takeStep` throws it to refuse the step. Nothing is written. */
export class StepRefusal extends Error {}

/** The result of a refused step. Throws any other error again. */
export function refusedBy(error: unknown): { refused: string } {
  if (error instanceof StepRefusal) return { refused: error.message };
  throw error;
}

/** The changes of a step, and its events. */
export interface Outcome {
  changes: Partial<Subscription>;
  reason: string;
  /** The id of a change that takes effect once. */
  changeId?: string;
  events?: NewEvent[];
}

export interface StepContext {
  row: Subscription;
  facts: EventFacts;
  /** When the step happens, in the merchant's time. */
  at: Date;
  inTransaction: Transaction;
}

/**
 * Takes a step unless it was taken before, and returns the state after it. If later steps were taken since, the result
 * is still the state after this step: a run that repeats it repeats the later steps too. Throws if another step was taken.
 */
export function takeStep(
  input: StepInput,
  run: WorkflowRun,
  decide: (moment: StepContext) => Promise<Outcome> | Outcome,
): Promise<SubscriptionSnapshot> {
  return transaction(async (inTransaction) => {
    const row = await lockRow(input, run, inTransaction);
    if (row.version > input.version) return (await snapshotAfter(input, inTransaction)) ?? toSnapshot(row);
    const message = await findMessage(input, inTransaction);
    if (message.isComplete) return toSnapshot(row);
    const facts = await getEventFacts(row.id, inTransaction);
    const at = new Date(input.atMs);
    const { changes, reason, changeId = message.newId, events = [] } = await decide({ row, facts, at, inTransaction });
    const { actor } = input;
    const isFirst = actor !== undefined && !(await hasStepOf(inTransaction, row.id, actor.requestId));
    await change(row, changes, { reason, changeId, at, run, actor }, inTransaction);
    if (isFirst) await auditChange(inTransaction, row, actor);
    if (events.length > 0)
      await publish(
        inTransaction,
        row.merchantId,
        events.map((event) => ({ at, ...event })),
      );
    return toSnapshot(row);
  });
}

/** A change that another account made for the subscriber is audited once, even if it takes several steps. */
async function auditChange(inTransaction: Transaction, row: Subscription, actor: Actor): Promise<void> {
  const { accountId, actedBy: actorUuid, requestId, audited: action } = actor;
  if (action === undefined) return;
  const { merchantId, token } = row;
  await audit(
    inTransaction,
    { merchantId, accountId, actorUuid },
    { action, object: ['subscription', token], requestId },
  );
}

/**
 * The state after the first step, for the run that took that step. Any other run starts from the current state, because
 * the earlier run is lost.
 */
export async function snapshotWhenOpened(
  row: Subscription,
  run: WorkflowRun,
  inTransaction: Transaction,
): Promise<SubscriptionSnapshot> {
  const kept = await findTaken(row.id, 0, inTransaction);
  return kept?.runId === run.runId ? kept.snapshot : toSnapshot(row);
}

/** Locks the row. Throws if the row is behind the run, or does not exist. The run then starts again from the row. */
export async function lockRow(
  { subscriptionId, version }: Pick<StepInput, 'subscriptionId' | 'version'>,
  { workflowId = '' }: Pick<WorkflowRun, 'workflowId'>,
  inTransaction: Transaction,
): Promise<Subscription> {
  const row = await Subscription.findByPk(subscriptionId, {
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
  const behind = findBehind({ subscriptionId, version, workflowId }, row ?? undefined);
  if (!row || behind) throw behind ?? new Error(`there is no subscription ${subscriptionId}`);
  return row;
}

/** The same for a run that has not taken a step yet, and for work outside of a run. */
export const lockSubscription = (
  subscriptionId: number,
  inTransaction: Transaction,
  run: Pick<WorkflowRun, 'workflowId'> = {},
): Promise<Subscription> => lockRow({ subscriptionId, version: 0 }, run, inTransaction);

/** The state of a subscription for its workflow. Times become milliseconds, and null becomes absent. */
export function toSnapshot(row: Subscription): SubscriptionSnapshot {
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
    ...(row.collectsAt && { collectsAtMs: row.collectsAt.getTime() }),
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
    ...(row.deferredAt && {
      deferral: {
        sinceMs: row.deferredAt.getTime(),
        tries: row.deferredNo,
        nextTryMs: (row.deferredUntil ?? row.deferredAt).getTime(),
        graceEndsMs: (row.graceEndsAt ?? daysAfter(row.currentPeriodStart ?? row.deferredAt, row.graceDays)).getTime(),
      },
    }),
    ...(row.processingAt && {
      processing: {
        nextLookMs: row.processingAt.getTime() + 86_400_000,
        ...(row.discountCycle === 0 && row.trialEnd === null && { isFirst: true as const }),
      },
    }),
    reminded: row.reminded,
  };
}

const daysAfter = (at: Date, days: number | null) => new Date(at.getTime() + (days ?? 0) * 86_400_000);

/** The time of the run's next step. A stored request is due at once. */
export function dueAfter(row: Subscription, at: Date): Date {
  if (!hasBegun(row.state) || row.requests.length > 0) return at;
  const due = nextTimer(toSnapshot(row));
  if (!due) return notByItself;
  return new Date(due.atMs + (due.what === 'renew' ? renewalDelayMs(row.id) : 0));
}

const notByItself = new Date(Date.UTC(9999, 0));

export const hasBegun = (state: SubscriptionState): state is SubscriptionSnapshot['state'] =>
  state !== 'incomplete' && state !== 'incomplete_expired';

interface Cause {
  reason: string;
  changeId?: string | undefined;
  at: Date;
  run: WorkflowRun;
  actor?: Actor | undefined;
}

/**
 * Writes the row and its history. Each change is one version. A charge that is being collected ends with the change, and an
 * ended subscription keeps no requests.
 */
export async function change(
  row: Subscription,
  changes: Partial<Subscription>,
  { reason, changeId, at, run, actor }: Cause,
  inTransaction: Transaction,
): Promise<void> {
  const before = { state: row.state, ...revenueOf(row) };
  const version = row.version + 1;
  row.set({ collectsAt: null, ...changes, ...(changes.endedAt && { requests: [] }), version, updatedAt: at });
  row.nextDueAt = dueAfter(row, at);
  await row.save({ transaction: inTransaction });
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
    changeId,
    workflowRunId: run.runId,
    mrrDeltaMinor: after.mrrMinor - before.mrrMinor,
    ...(hasBegun(row.state) && { snapshot: toSnapshot(row) }),
    at,
  });
  if (after.counts === before.counts && after.mrrMinor === before.mrrMinor) return;
  await recordMovement(inTransaction, { row, ...after, sequence: sequenceOf(version), reason, at });
}

/**
 * The monthly revenue of the subscription. It counts from the first charge on, while the subscription is paid or its
 * payment is retried.
 */
function revenueOf(row: Subscription): { counts: boolean; mrrMinor: number } {
  const counts = (row.state === 'active' || row.state === 'past_due') && row.discountCycle > 0;
  if (!counts) return { counts, mrrMinor: 0 };
  const priceMinor = discountedPrice(row, row.discountCycle);
  return { counts, mrrMinor: monthlyMinor({ priceMinor, quantity: row.periodQuantity, period: row.period }) };
}

/** The row as the step leaves it. An event describes this row. */
export function afterwards({ row, facts, at }: StepContext, changes: Partial<Subscription>) {
  return { row: { ...row.get(), ...changes }, facts, at };
}

/** The resource of a payment's events. `charge` is the number of the charge, counted from 1. */
export function describePayment(
  { row, facts, at }: Pick<StepContext, 'facts' | 'at'> & { row: SubscriptionFacts },
  amountMinor: number,
  status: string,
  charge = row.discountCycle,
) {
  const { currency, priceMinor } = row;
  const reduction = reductionOfCharge(row, charge);
  const takenOffMinor = reduction === 0 ? 0 : dueOf(priceMinor, row.addedTax, currency) - dueFor(row, charge);
  const amounts = {
    plain: amountText(amountMinor, currency),
    formatted: formatAmount(amountMinor, currency),
    full: amountText(amountMinor + takenOffMinor, currency),
    discountPercent: typeof reduction === 'number' ? reduction : 0,
  };
  return presentPayment(row, amounts, { ...facts, status, at, isBilledNext: isBilledNext(row) });
}

/** Whether a charge is due at the end of the period or trial. False if the subscription ends or pauses then. */
export function isBilledNext(row: Pick<SubscriptionFacts, 'state' | 'autoRenew' | 'pauseAtPeriodEnd'>): boolean {
  return (row.state === 'active' || row.state === 'trialing') && row.autoRenew && !row.pauseAtPeriodEnd;
}
