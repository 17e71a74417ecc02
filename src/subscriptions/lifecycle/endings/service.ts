import { describeRevocation } from '../../../items/access/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { type EndInput, type RenewalInput, type Standing, type StepInput } from '../../../../workflows/messages';
import { type Subscription } from '../../model';
import { closeAccess, isTakenAway, openAccess } from '../accesses/service';
import { findObstacle } from '../model';
import { eventOf, giveBackCredit, mailTo, noDunning, textsOf } from '../periods/service';
import { dayText, describePayment, takeStep, type Moment, type WorkflowRun } from '../steps/service';

/** How a subscription is told not to go on, and how it ends. */

/** Renewal is turned off, and the paid time runs out; or it is turned on again before that. */
export function turnRenewal({ autoRenew, reason, ...input }: RenewalInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    if (autoRenew)
      return {
        reason: 'renewal turned on again',
        changes: { autoRenew, canceledAt: null, cancelReason: '' },
        events: [
          { type: 'subscribe.updated', ...eventOf(row, 'updated'), resource: describePayment(moment, 0, 'active') },
        ],
      };
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
export function endSubscription({ to, reason, isSilent, ...input }: EndInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const hadAccess = row.state === 'trialing' || row.state === 'active' || row.state === 'past_due';
    const wasAsked = row.canceledAt === null && to === 'canceled';
    await closeAccess(moment, at);
    await giveBackCredit(moment);
    if (isSilent !== true) await queueMail(inTransaction, mailTo(moment, 'subscription_ended', endTexts(moment, at)));
    const amountMinor = row.priceMinor;
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
    const changes: Partial<Subscription> = { state: to, endedAt: at, canceledAt, ...nothingPlanned, ...noDunning };
    return { reason, changes: { ...changes, dueMinor: 0, creditMinor: 0 }, events };
  });
}

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
    const access = await openAccess(moment, at, row.currentPeriodEnd ?? at);
    return {
      reason: 'restored',
      changes: { state: 'active', endedAt: null },
      events: [
        ...((await isTakenAway(moment))
          ? []
          : [{ type: 'access.granted' as const, ...eventOf(row, 'granted'), resource: access }]),
        { type: 'subscribe.updated', ...eventOf(row, 'updated'), resource: describePayment(moment, 0, 'active') },
      ],
    };
  });
}

const nothingPlanned = { pauseAtPeriodEnd: false, resumesAt: null, pendingAccessFeeId: null };

function endTexts({ row, facts }: Moment, endsAt: Date) {
  return { ...textsOf(row, facts.description, row.priceMinor), date: dayText(endsAt) };
}

function canceled(moment: Moment, message: string) {
  const resource = { ...describePayment(moment, 0, 'canceled'), message, next_rebill_date: 0 };
  return { type: 'subscribe.cancelled.success' as const, ...eventOf(moment.row, 'canceled'), resource };
}
