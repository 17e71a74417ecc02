import { describeRevocation } from '../../../items/access/service';
import { queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { type DeclinedInput, type RemindInput, type Standing, type StepInput } from '../../../../workflows/messages';
import { afterRetry, beginDunning, graceEndsMs, type Dunning } from '../../billing/dunning';
import { closeAccess } from '../accesses/service';
import { eventOf, mailTo, nextCharge, textsOf } from '../periods/service';
import { presentRebillFailure } from '../presenter';
import { dayText, describePayment, standingOf, takeStep, type Moment, type WorkflowRun } from '../steps/service';

/** What follows a charge that was declined (subscriptions 5). */

/** Why we charge no more: nobody is left to read of it. */
const accountErased = 'account_erased';

/** The first failure begins the days of grace; later ones only plan the next try. */
export function failRenewal(input: DeclinedInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, inTransaction } = moment;
    const before = standingOf(row).dunning;
    const plan = { graceDays: row.graceDays ?? 0, retryDays: row.retryDays ?? [] };
    const dunning = before
      ? afterRetry(before, input.atMs, input.decline)
      : beginDunning(plan, input.atMs, input.decline);
    const needsCard = dunning.nextRetryMs === undefined && input.decline === 'hard';
    const date = dayText(new Date(graceEndsMs(dunning)));
    const values = { ...textsOf(row, facts.description, row.dueMinor), reason: input.message, date };
    const isNews = !before || (needsCard && before.nextRetryMs !== undefined);
    if (isNews && input.reason !== accountErased)
      await queueMail(inTransaction, mailTo(moment, needsCard ? 'card_needed' : 'payment_failed', values));
    return {
      reason: `declined: ${input.reason}`,
      changes: {
        ...columnsOf(dunning),
        ...(!before && { state: 'past_due' as const }),
        attempt: input.attempt,
        failureReason: input.reason,
        failureMessage: input.message,
      },
      events: failureEvents(moment, !before),
    };
  });
}

/** The days of grace are over: no access until the money comes. */
export function holdSubscription(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, at, inTransaction } = moment;
    await closeAccess(moment, at);
    await queueMail(
      inTransaction,
      mailTo(moment, 'subscription_on_hold', textsOf(row, facts.description, row.dueMinor)),
    );
    return {
      reason: 'grace is over',
      changes: { state: 'on_hold' },
      events: [
        {
          type: 'access.revoked',
          ...eventOf(row, 'revoked'),
          resource: await describeRevocation(inTransaction, row.itemId),
        },
      ],
    };
  });
}

/** A mail that is due by the calendar, sent once. */
export function remind({ reminder, ...input }: RemindInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, inTransaction } = moment;
    const isTrial = reminder === 'trial_ends';
    const date = dayText((isTrial ? row.trialEnd : row.graceEndsAt) ?? moment.at);
    const amountMinor = isTrial ? nextCharge(row) : row.dueMinor;
    const values = { ...textsOf(row, facts.description, amountMinor), date };
    const needsCard = isTrial && row.cardId === null && amountMinor > 0;
    await queueMail(inTransaction, mailTo(moment, needsCard ? 'trial_needs_card' : reminder, values));
    return { reason: `reminded: ${reminder}`, changes: { reminded: [...row.reminded, reminder] } };
  });
}

export function columnsOf(dunning: Dunning) {
  return {
    pastDueAt: new Date(dunning.failedMs),
    graceEndsAt: new Date(graceEndsMs(dunning)),
    retryNo: dunning.retries,
    soonerNo: dunning.sooner,
    nextRetryAt: dunning.nextRetryMs === undefined ? null : new Date(dunning.nextRetryMs),
  };
}

/** Each try is told to back ends; that the payment is overdue, once. */
function failureEvents(moment: Moment, isFirst: boolean): NewEvent[] {
  const { row, at } = moment;
  const payment = describePayment(moment, row.dueMinor, 'past_due', row.discountCycle + 1);
  const failed = { ...eventOf(row, 'rebill_failed'), resource: presentRebillFailure(row, payment, at) };
  return [
    { type: 'subscription.rebill.failed', ...failed },
    ...(isFirst ? [{ type: 'subscribe.past_due' as const, ...eventOf(row, 'past_due'), resource: payment }] : []),
  ];
}
