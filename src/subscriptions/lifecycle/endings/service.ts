import { describeRevocation } from '../../../items/access/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import {
  type EndInput,
  type EndState,
  type RenewalInput,
  type Standing,
  type StepInput,
} from '../../../../workflows/messages';
import { takeFromBalance } from '../../balances/service';
import { type Subscription, type SubscriptionState } from '../../model';
import { closeAccess, isTakenAway, returnAccess, takeAccess } from '../accesses/service';
import { findObstacle } from '../model';
import { eventOf, giveBackCredit, mailTo, noDunning, nothingDue, textsOf } from '../periods/service';
import {
  afterwards,
  dayText,
  describePayment,
  discountedPrice,
  noCharge,
  takeStep,
  type Moment,
  type WorkflowRun,
} from '../steps/service';

/** How a subscription is told not to go on, and how it ends. */

/** Renewal is turned off, and the paid time runs out; or it is turned on again before that. */
export function turnRenewal({ autoRenew, reason, ...input }: RenewalInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    if (autoRenew) {
      const changes = { autoRenew, canceledAt: null, cancelReason: '' };
      const resource = describePayment(afterwards(moment, changes), 0, 'active', noCharge);
      return {
        reason: 'renewal turned on again',
        changes,
        events: [{ type: 'subscribe.updated', ...eventOf(row, 'updated'), resource }],
      };
    }
    await queueMail(
      inTransaction,
      mailTo(moment, 'subscription_canceled', endTexts(moment, row.currentPeriodEnd ?? at)),
    );
    return {
      reason: 'canceled at the period’s end',
      changes: { autoRenew, canceledAt: at, cancelReason: reason, ...nothingPlanned },
      events: [canceled(moment, 'Your subscription will not be renewed.')],
    };
  });
}

/** It ends for good: by wish, for want of money, or because the money went back. */
export function endSubscription({ isSilent, ...input }: EndInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const { to, reason } = isUnpaidTrial(row, at, input.to) ? unpaidTrial : input;
    const hadAccess = row.state === 'trialing' || row.state === 'active' || row.state === 'past_due';
    const wasAsked = row.canceledAt === null && to === 'canceled';
    await (to === 'revoked' ? takeAccess : closeAccess)(moment, at);
    await giveBackCredit(moment);
    if (isSilent !== true) await queueMail(inTransaction, mailTo(moment, 'subscription_ended', endTexts(moment, at)));
    const amountMinor = discountedPrice(row, row.discountCycle);
    const events: NewEvent[] = [
      ...(wasAsked ? [canceled(moment, 'Your subscription is canceled.')] : []),
      ...(hadAccess
        ? [
            {
              type: 'access.revoked' as const,
              ...eventOf(row, 'revoked'),
              resource: await describeRevocation(inTransaction, row.itemId),
            },
          ]
        : []),
      { type: 'subscribe.expired', ...eventOf(row, 'expired'), resource: describePayment(moment, amountMinor, to) },
    ];
    const canceledAt = row.canceledAt ?? (to === 'canceled' ? at : null);
    const ended = { state: to, endedAt: at, canceledAt, ...nothingPlanned };
    return { reason, changes: { ...ended, ...(to === 'revoked' ? keptOf(row) : nothingOwed) }, events };
  });
}

/** Nobody has canceled it: it had no card, and none has come (subscriptions 2). */
function isUnpaidTrial(row: Subscription, at: Date, to: EndState): boolean {
  const isOver = row.trialEnd !== null && row.trialEnd <= at;
  return to === 'canceled' && row.state === 'trialing' && row.cardId === null && row.canceledAt === null && isOver;
}

const unpaidTrial = { to: 'expired', reason: 'no card at the trial’s end' } as const;

const nothingOwed = { ...nothingDue, ...noDunning };

/** What is revoked may be given back: as it stood, with what was open. The balance's part went back to it. */
function keptOf(row: Subscription): Partial<Subscription> {
  const { state } = row;
  if (state === 'incomplete' || state === 'incomplete_expired' || isEnd(state)) return nothingOwed;
  return { stateBeforeRevocation: state, ...nothingDue, dueMinor: row.dueMinor + row.creditMinor };
}

const isEnd = (state: SubscriptionState): state is EndState =>
  state === 'canceled' || state === 'expired' || state === 'revoked';

/** The payment is open for good, or the paid time of a subscription of old is over. */
export function expireSubscription(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return endSubscription({ ...input, to: 'expired', reason: 'not paid' }, run);
}

/** What was revoked is given back, for what is left of the paid time; unless something forbids it for good. */
export function restoreSubscription(input: StepInput, run: WorkflowRun): Promise<Standing> {
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
      changes: { state, stateBeforeRevocation: null, endedAt: null, ...(await owedAgain(moment)) },
      events: [
        ...(opens ? [{ type: 'access.granted' as const, ...eventOf(row, 'granted'), resource: access }] : []),
        {
          type: 'subscribe.updated',
          ...eventOf(row, 'updated'),
          resource: describePayment(moment, 0, state, noCharge),
        },
      ],
    };
  });
}

/** An unpaid period is open for the days of grace, and after them for nobody. */
function accessEnd(row: Subscription, state: SubscriptionState): Date | null {
  if (state === 'on_hold' || state === 'paused') return null;
  return state === 'past_due' ? row.graceEndsAt : row.currentPeriodEnd;
}

/** What was open when it was revoked is open again, less what the balance pays by now. */
async function owedAgain({ row, inTransaction }: Moment): Promise<Partial<Subscription>> {
  if (row.dueMinor === 0) return {};
  const { chargeMinor, takenMinor, carriedMinor } = await takeFromBalance(inTransaction, row, row.dueMinor);
  return { dueMinor: chargeMinor, creditMinor: takenMinor, carriedMinor };
}

const nothingPlanned = { pauseAtPeriodEnd: false, resumesAt: null, pendingAccessFeeId: null };

function endTexts({ row, facts }: Moment, endsAt: Date) {
  return { ...textsOf(row, facts.description, row.priceMinor), date: dayText(endsAt) };
}

function canceled(moment: Moment, message: string) {
  const resource = { ...describePayment(moment, 0, 'canceled', noCharge), message, next_rebill_date: 0 };
  return { type: 'subscribe.cancelled.success' as const, ...eventOf(moment.row, 'canceled'), resource };
}
