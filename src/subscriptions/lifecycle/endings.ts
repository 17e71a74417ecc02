import { isOfForm } from '../../kit/paymentMethods';
import { queueMail } from '../../mail/mail';
import { type NewEvent } from '../../notifications/events';
import {
  type EndInput,
  type EndState,
  type RenewalInput,
  type SubscriptionSnapshot,
  type StepInput,
} from '../../../workflows/messages';
import { quoteDue } from '../balances/balances';
import { refuseOpenOffer } from '../cancelOffers/presentations.model';
import { Card } from '../cards.model';
import { findPaidCharge } from '../charges/cycles.model';
import { keepUrl } from '../mailLinks/links';
import { Subscription, type SubscriptionState } from '../subscriptions.model';
import { closeAccess, isTakenAway, returnAccess, takeAccess } from './accesses';
import { findObstacle } from './lifecycle.model';
import { eventOf, mailTo, noDunning, receiptOf, revokedEvent, purchaseOf, updatedEvent } from './periods';
import { afterwards, describePayment, takeStep, type StepContext, type WorkflowRun } from './steps';
import { dueFor, noCharge } from './prices';

/** Cancels, ends and restores subscriptions. */

/** Turns renewal off, so that the subscription ends with the paid period, or turns it on again before that. */
export function turnRenewal(
  { autoRenew, reason, ...input }: RenewalInput,
  run: WorkflowRun,
): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    if (autoRenew) {
      const changes = { autoRenew, canceledAt: null, cancelReason: '' };
      const resource = describePayment(afterwards(moment, changes), 0, 'active', noCharge);
      return {
        reason: 'renewal turned on again',
        changes,
        events: [updatedEvent(row, resource)],
      };
    }
    await refuseOpenOffer(inTransaction, row.id, at);
    const values = { ...endValues(moment, row.currentPeriodEnd ?? at), keepUrl: keepUrl(row, at) };
    await queueMail(inTransaction, mailTo(moment, 'subscription_canceled', values));
    return {
      reason: 'canceled at the period’s end',
      changes: { autoRenew, canceledAt: at, cancelReason: reason, ...nothingPlanned },
      events: [canceled(moment, 'Your subscription will not be renewed.')],
    };
  });
}

/** Whether the customer has a card and owes at least the provider's minimum charge. */
export async function owesDebt(subscriptionId: number): Promise<boolean> {
  const row = await Subscription.findByPk(subscriptionId, { rejectOnEmpty: true });
  // A direct debit takes days, so it collects no debt before the end.
  const card = row.cardId === null ? null : await Card.findByPk(row.cardId);
  return card !== null && isOfForm(card.method) && (await quoteDue(row, 0)).chargeMinor > 0;
}

/** Ends the subscription permanently: it was canceled, was not paid, or its payment was refunded or disputed. */
export function endSubscription(
  { isSilent, cancelReason, ...input }: EndInput,
  run: WorkflowRun,
): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const { to, reason } = isUnpaidTrial(row, at, input.to) ? unpaidTrial : input;
    const hadAccess = row.state === 'trialing' || row.state === 'active' || row.state === 'past_due';
    const isCancellation = row.canceledAt === null && to === 'canceled';
    await refuseOpenOffer(inTransaction, row.id, at);
    await (to === 'revoked' ? takeAccess : closeAccess)(moment, at);
    if (isSilent !== true) await queueMail(inTransaction, mailTo(moment, 'subscription_ended', endValues(moment, at)));
    await mailDebtReceipt(moment);
    const amountMinor = dueFor(row, row.discountCycle);
    const events: NewEvent[] = [
      ...(isCancellation ? [canceled(moment, 'Your subscription is canceled.')] : []),
      ...(hadAccess ? [await revokedEvent(row, inTransaction)] : []),
      { type: 'subscribe.expired', ...eventOf(row, 'expired'), resource: describePayment(moment, amountMinor, to) },
    ];
    const canceledAt = row.canceledAt ?? (to === 'canceled' ? at : null);
    const words = cancelReason !== undefined && { cancelReason, canceledAt: at };
    const ended = { state: to, endedAt: at, canceledAt, ...words, processingAt: null, ...nothingPlanned };
    return { reason, changes: { ...ended, ...(to === 'revoked' ? keptOf(row) : nothingOwed) }, events };
  });
}

/** Mails the receipt of a debt. The debt is charged before the end, as its own cycle. */
async function mailDebtReceipt(moment: StepContext): Promise<void> {
  const { row, facts, at, inTransaction } = moment;
  const charge = await findPaidCharge(row.id, row.cycle + 1, inTransaction);
  if (!charge || charge.amountMinor === 0) return;
  const values = receiptOf(row, facts.description, charge, at);
  await queueMail(inTransaction, mailTo(moment, 'receipt', values));
}

/** Whether a trial ends because no card was added. False if it was canceled. */
function isUnpaidTrial(row: Subscription, at: Date, to: EndState): boolean {
  const isOver = row.trialEnd !== null && row.trialEnd <= at;
  return to === 'canceled' && row.state === 'trialing' && row.cardId === null && row.canceledAt === null && isOver;
}

const unpaidTrial = { to: 'expired', reason: 'no card at the trial’s end' } as const;

const nothingOwed = { dueMinor: 0, ...noDunning };

/** A revoked subscription keeps its state and its due amount, so that it can be restored. */
function keptOf(row: Subscription): Partial<Subscription> {
  const { state } = row;
  if (state === 'incomplete' || state === 'incomplete_expired' || isEnd(state)) return nothingOwed;
  return { stateBeforeRevocation: state };
}

const isEnd = (state: SubscriptionState): state is EndState =>
  state === 'canceled' || state === 'expired' || state === 'revoked';

/** Ends the subscription after the last failed retry, or if the provider did not answer in time. */
export function expireSubscription(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return endSubscription({ ...input, to: 'expired', reason: 'not paid' }, run);
}

/** Restores a revoked subscription for the rest of its paid period, unless there is an obstacle. */
export function restoreSubscription(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const obstacle = await findObstacle(row.id, inTransaction);
    if (obstacle !== undefined) return { reason: `not restored: ${obstacle}`, changes: {} };
    const state = row.stateBeforeRevocation ?? 'active';
    const endsAt = accessEnd(row, state) ?? at;
    const access = endsAt > at ? await returnAccess(moment, endsAt) : undefined;
    const opens = access !== undefined && !(await isTakenAway(moment));
    return {
      reason: 'restored',
      changes: { state, stateBeforeRevocation: null, endedAt: null, ...openAgain(row, state, at) },
      events: [
        ...(opens ? [{ type: 'access.granted' as const, ...eventOf(row, 'granted'), resource: access }] : []),
        updatedEvent(row, describePayment(moment, 0, state, noCharge)),
      ],
    };
  });
}

/**
 * The open charge of the period was given up with the revocation. A charge that waited for the provider is replaced by the next
 * attempt, because the payer is not the cause. Any other charge counts as failed, and is tried again.
 */
function openAgain(row: Subscription, state: SubscriptionState, at: Date): Partial<Subscription> {
  if (row.deferredAt !== null) return { attempt: row.attempt + 1 };
  return { collectsAt: state === 'active' && row.dueMinor > 0 ? at : null };
}

/** The end of access. An unpaid period gives access only until its grace period ends. */
function accessEnd(row: Subscription, state: SubscriptionState): Date | null {
  if (state === 'on_hold' || state === 'paused') return null;
  return state === 'past_due' ? row.graceEndsAt : row.currentPeriodEnd;
}

const nothingPlanned = { pauseAtPeriodEnd: false, resumesAt: null, pendingAccessFeeId: null };

export function endValues({ row, facts }: StepContext, endsAt: Date) {
  return { ...purchaseOf(row, facts.description, row.priceMinor), date: endsAt.toISOString() };
}

function canceled(moment: StepContext, message: string) {
  const resource = { ...describePayment(moment, 0, 'canceled', noCharge), message, next_rebill_date: 0 };
  return { type: 'subscribe.cancelled.success' as const, ...eventOf(moment.row, 'canceled'), resource };
}
