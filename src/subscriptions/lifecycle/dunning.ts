import { getSettings } from '../../accounts/settings';
import { timeOffsetMinutes } from '../../kit/timeZones';
import { queueMail } from '../../mail/mail';
import { type CardLink, type PayLink } from '../../mail/mailValues';
import { type NewEvent } from '../../notifications/events';
import {
  type DeclinedInput,
  type DeferInput,
  type RemindInput,
  type SubscriptionSnapshot,
  type StepInput,
} from '../../../workflows/messages';
import { quoteDue } from '../balances/balances';
import { afterRetry, beginDunning, graceEndsMs, type Dunning } from '../../billing/dunning';
import { findRedirectUrl } from '../charges/charges.model';
import { type Subscription } from '../subscriptions.model';
import { atBestHour } from '../../billing/retryTimes';
import { closeAccess, extendAccess } from './accesses';
import { cardUrl, payUrl } from '../mailLinks/links';
import { eventOf, mailTo, noDeferral, purchaseOf, revokedEvent } from './periods';
import { presentRebillFailure } from './lifecycle.presenter';
import { describePayment, toSnapshot, takeStep, type StepContext, type WorkflowRun } from './steps';
import { upcomingCharge } from './upcoming';

/** The steps after a declined charge. */

/** A decline with this reason is not mailed, because the account is erased. */
const accountErased = 'account_erased';

/** The first failure starts the grace period. Later failures only plan the next retry. */
export function failRenewal(input: DeclinedInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, inTransaction } = moment;
    const before = toSnapshot(row).dunning;
    const plan = { graceDays: row.graceDays ?? 0, retryDays: row.retryDays ?? [] };
    const planned = before
      ? afterRetry(before, input.atMs, input.decline)
      : beginDunning(plan, input.atMs, input.decline);
    const { retryTiming } = await getSettings(row.merchantId, inTransaction);
    const offsetMinutes = timeOffsetMinutes(row.countryIso, moment.at);
    const dunning = retryTiming === 'best' ? atBestHour(planned, { reason: input.reason, offsetMinutes }) : planned;
    const needsCard = dunning.nextRetryMs === undefined && input.decline === 'hard';
    const { chargeMinor } = await quoteDue(row, row.dueMinor, inTransaction);
    if (!before && row.deferredAt && row.state === 'active')
      await extendAccess(moment, row.currentPeriodStart ?? moment.at, new Date(graceEndsMs(dunning)));
    // A renewal by direct debit already has access until the end of the period.
    if (!before && row.processingAt) {
      await closeAccess(moment, moment.at);
      await extendAccess(moment, row.currentPeriodStart ?? moment.at, new Date(graceEndsMs(dunning)));
    }
    const isNews = !before || (needsCard && before.nextRetryMs !== undefined);
    if (isNews && input.reason !== accountErased)
      await mailFailure(moment, { input, needsCard, amountMinor: chargeMinor, accessEndsMs: graceEndsMs(dunning) });
    return {
      reason: `declined: ${input.reason}`,
      changes: {
        ...columnsOf(dunning),
        ...noDeferral,
        processingAt: null,
        ...(!before && row.state !== 'on_hold' && { state: 'past_due' as const }),
        attempt: input.attempt,
        failureReason: input.reason,
        failureMessage: input.message,
      },
      events: failureEvents(moment, chargeMinor, !before),
    };
  });
}

interface RenewalFailure {
  input: DeclinedInput;
  needsCard: boolean;
  amountMinor: number;
  accessEndsMs: number;
}

/** Mails that the payment failed. If the bank requires an authentication, the mail contains the link to it. */
export async function mailFailure(moment: StepContext, failure: RenewalFailure): Promise<void> {
  const { row, facts, inTransaction } = moment;
  const { input, needsCard, amountMinor, accessEndsMs } = failure;
  const { subscriptionId, attempt, reason } = input;
  const url = await findRedirectUrl({ subscriptionId, cycle: row.cycle, attempt }, inTransaction);
  const values = { ...purchaseOf(row, facts.description, amountMinor), date: new Date(accessEndsMs).toISOString() };
  const decline = { reason, method: facts.method ?? 'card' };
  const mail =
    url === undefined
      ? needsCard
        ? mailTo(moment, 'card_needed', { ...values, ...decline, cardUrl: cardUrl(row) })
        : mailTo(moment, 'payment_failed', { ...values, ...decline, payUrl: payUrl(row), cardUrl: cardUrl(row) })
      : mailTo(moment, 'payment_action', { ...values, url });
  await queueMail(inTransaction, mail);
}

/** The charge could not be sent, and the payer is not the cause. It waits, and the payer is not dunned. */
export function deferRenewal(input: DeferInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, ({ row, at }) => ({
    reason: 'the payment waits for the provider',
    changes: {
      attempt: input.attempt,
      deferredAt: row.deferredAt ?? at,
      deferredNo: row.deferredNo + 1,
      deferredUntil: new Date(input.nextTryMs),
    },
  }));
}

/** The grace period is over. Access is closed until the charge is paid. */
export function holdSubscription(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, at, inTransaction } = moment;
    await closeAccess(moment, at);
    const template = row.pastDueAt === null ? 'payment_deferred' : 'subscription_on_hold';
    const { chargeMinor } = await quoteDue(row, row.dueMinor, inTransaction);
    const links = template === 'subscription_on_hold' ? linksTo(row) : {};
    const values = { ...purchaseOf(row, facts.description, chargeMinor), ...links };
    await queueMail(inTransaction, mailTo(moment, template, values));
    return {
      reason: 'grace is over',
      changes: { state: 'on_hold' },
      events: [await revokedEvent(row, inTransaction)],
    };
  });
}

/** Sends a timed reminder once. */
export function remind({ reminder, ...input }: RemindInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, inTransaction } = moment;
    const isTrial = reminder === 'trial_ends';
    const until = (isTrial ? row.trialEnd : row.graceEndsAt) ?? moment.at;
    const date = until.toISOString();
    const dueMinor = isTrial ? await upcomingCharge(row.get(), until, inTransaction) : row.dueMinor;
    const { chargeMinor: amountMinor } = await quoteDue(row, dueMinor, inTransaction);
    const values = { ...purchaseOf(row, facts.description, amountMinor), date };
    const needsCard = isTrial && row.cardId === null && amountMinor > 0;
    const links = isTrial ? (needsCard ? { cardUrl: cardUrl(row) } : {}) : linksTo(row);
    await queueMail(inTransaction, mailTo(moment, needsCard ? 'trial_needs_card' : reminder, { ...values, ...links }));
    return { reason: `reminded: ${reminder}`, changes: { reminded: [...row.reminded, reminder] } };
  });
}

/** The links of a mail about an overdue payment. Only a card that may still pay has a link that charges it. */
function linksTo(row: Subscription): PayLink & CardLink {
  return { ...(row.nextRetryAt !== null && { payUrl: payUrl(row) }), cardUrl: cardUrl(row) };
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

/** The events of a failure. Each failed retry is published, and the overdue state is published once. */
export function failureEvents(moment: StepContext, amountMinor: number, isFirst: boolean): NewEvent[] {
  const { row, at } = moment;
  const payment = describePayment(moment, amountMinor, 'past_due', row.discountCycle + 1);
  const failed = { ...eventOf(row, 'rebill_failed'), resource: presentRebillFailure(row, payment, at) };
  return [
    { type: 'subscription.rebill.failed', ...failed },
    ...(isFirst ? [{ type: 'subscribe.past_due' as const, ...eventOf(row, 'past_due'), resource: payment }] : []),
  ];
}
