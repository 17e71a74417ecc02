import { getSettings } from '../../../accounts/settings/service';
import { describeRevocation, endAccess } from '../../../items/access/service';
import { type MailTemplate, type MailValues } from '../../../adapters/mailer/templates';
import { type NewMail, queueMail } from '../../../mail/service';
import { type NewEvent } from '../../../notifications/events';
import { type PauseInput, type Standing, type StepInput } from '../../../../workflows/messages';
import { addToBalance, takeFromBalance } from '../../balances/service';
import { formatAmount } from '../../billing/money';
import { periodEnd } from '../../billing/periods';
import { discountUnder, getPlan } from '../../plans/service';
import { type Subscription, type SubscriptionFacts } from '../../model';
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
import { isTakenAway, openAccess, openPaidAccess } from '../accesses/service';

/** How one period follows another: it begins, and then it is paid. */

/**
 * The next period begins, and what it costs is fixed; the trial's end begins the first. A change of plans that waited for
 * this happens. Access goes on for the days of grace, while the payment is under way.
 */
export function beginPeriod(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, inTransaction } = moment;
    const plan = await pendingPlan(moment);
    const startsAt = row.currentPeriodEnd ?? moment.at;
    const isAnchored = row.state === 'active' && plan?.isSameLength !== false;
    const anchorAt = isAnchored ? (row.anchorAt ?? startsAt) : startsAt;
    const periodNo = isAnchored ? row.periodNo + 1 : 1;
    const length = { quantity: row.periodQuantity, period: row.period, ...plan?.length };
    const { graceDays, retryDays } = await getSettings(row.merchantId, inTransaction);
    await openAccess(moment, startsAt, new Date(startsAt.getTime() + graceDays * 86_400_000));
    return {
      reason: 'the period begins',
      changes: {
        ...plan?.changes,
        state: 'active',
        anchorAt,
        periodNo,
        currentPeriodStart: startsAt,
        currentPeriodEnd: periodEnd(anchorAt, periodNo, length),
        cycle: row.cycle + 1,
        attempt: 1,
        graceDays,
        retryDays: [...retryDays],
        reminded: [],
        ...(await dueOf(moment, plan?.changes)),
      },
    };
  });
}

/**
 * The period's charge is paid. After a failure within grace the period stays as it began, unless it is over by now; after
 * a hold or a pause a new one begins with the money.
 */
export function renewSubscription(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, at, inTransaction } = moment;
    const opens = row.state !== 'active' && row.state !== 'past_due' && !(await isTakenAway(moment));
    const isConversion = row.trialEnd !== null && row.discountCycle === 0;
    const hadFailed = row.pastDueAt !== null;
    const amountMinor = row.dueMinor;
    const changes = paidChanges(row, at);
    const period = { ...row.get(), ...changes };
    const endsAt = period.currentPeriodEnd ?? at;
    const access = await openPaidAccess(moment, changes.currentPeriodStart ?? at, endsAt);
    const values = { ...textsOf(row, facts.description, amountMinor), date: dayText(hadFailed ? endsAt : at) };
    if (amountMinor > 0 || hadFailed)
      await queueMail(inTransaction, mailTo(moment, hadFailed ? 'payment_recovered' : 'receipt', values));
    const status = hadFailed ? 'recovered' : 'renewed';
    const payment = describePayment({ row: period, facts, at }, amountMinor, status);
    const told = { accountId: row.accountId, resource: payment };
    const events: NewEvent[] = [
      ...(opens ? [{ type: 'access.granted' as const, ...eventOf(row, 'granted'), resource: access }] : []),
      ...(isConversion ? [{ type: 'trial.converted' as const, ...told, dedupeKey: `${row.token}:converted` }] : []),
      { type: 'subscribe.renewed', ...told, dedupeKey: `${row.token}:renewed:${row.cycle}` },
    ];
    return { reason: hadFailed ? 'recovered' : 'paid', changes, events };
  });
}

/** The paid time is over and a pause begins; or one that was planned is planned no longer. */
export function pauseSubscription(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    await endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, at);
    const changes = { state: 'paused', pauseAtPeriodEnd: false, reminded: [] as string[] } as const;
    return {
      reason: 'paused',
      changes,
      events: [
        {
          type: 'access.revoked',
          ...eventOf(row, 'revoked'),
          resource: await describeRevocation(inTransaction, row.itemId),
        },
        {
          type: 'subscribe.updated',
          ...eventOf(row, 'updated'),
          resource: describePayment(afterwards(moment, changes), 0, 'paused', noCharge),
        },
      ],
    };
  });
}

/** A pause at the period's end is asked for, or taken back. */
export function planPause({ pauses, resumesAtMs, ...input }: PauseInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, (moment) => {
    const changes = { pauseAtPeriodEnd: pauses, resumesAt: resumesAtMs === undefined ? null : new Date(resumesAtMs) };
    const told = afterwards(moment, changes);
    const resource = describePayment(told, 0, pauses ? 'pausing' : 'active', noCharge);
    return {
      reason: pauses ? 'pause planned' : 'pause taken back',
      changes,
      events: [{ type: 'subscribe.updated', ...eventOf(moment.row, 'updated'), resource }],
    };
  });
}

/**
 * What a new period would cost now, for one that is paused: fixed, as the next charge. A change of plans that waited for
 * the end of the paid time happens with it.
 */
export function priceResumption(input: StepInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const changes = (await pendingPlan(moment))?.changes;
    const due = await dueOf(moment, changes);
    return {
      reason: 'resumption asked for',
      changes: { ...changes, cycle: moment.row.cycle + 1, attempt: 1, resumesAt: null, ...due },
    };
  });
}

/** The part of an event that names it and its listener; the version makes the name unique. */
export function eventOf(row: Subscription, what: string) {
  return { accountId: row.accountId, dedupeKey: `${row.token}:${what}:${row.version + 1}` };
}

export function textsOf(row: Subscription, description: string, amountMinor: number) {
  return { description, token: row.token, amount: formatAmount(amountMinor, row.currency) };
}

export function mailTo<T extends MailTemplate>(
  { row, facts }: Pick<Moment, 'row' | 'facts'>,
  template: T,
  values: MailValues[T],
): NewMail<T> {
  const { merchantId, accountId, brandingId } = row;
  return { merchantId, accountId, brandingId, to: facts.email, template, values };
}

/** What was taken from the balance for a period that is not paid in the end goes back. */
export async function giveBackCredit({ row, inTransaction }: Moment): Promise<void> {
  await addToBalance(inTransaction, row, row.creditMinor);
}

/** The price with its voucher, the setup fee of the first charge, and what the balance pays or carries of it. */
async function dueOf({ row, inTransaction }: Moment, planned: Partial<SubscriptionFacts> = {}) {
  const wholeMinor = nextCharge({ ...row.get(), ...planned });
  const settled = await takeFromBalance(inTransaction, row, wholeMinor);
  return { dueMinor: settled.chargeMinor, creditMinor: settled.takenMinor, carriedMinor: settled.carriedMinor };
}

/** What the next period costs, before the balance. */
export const nextCharge = (row: SubscriptionFacts) => discountedPrice(row, row.discountCycle + 1) + setupOf(row);

/** The first charge has the setup fee in it. */
const setupOf = (row: SubscriptionFacts) => (row.discountCycle === 0 ? row.setupFeeMinor : 0);

function paidChanges(row: Subscription, at: Date): Partial<Subscription> {
  const length = { quantity: row.periodQuantity, period: row.period };
  const isOver = row.currentPeriodEnd === null || row.currentPeriodEnd <= at;
  const isNew = row.state === 'on_hold' || row.state === 'paused' || isOver;
  const period = isNew
    ? { anchorAt: at, periodNo: 1, currentPeriodStart: at, currentPeriodEnd: periodEnd(at, 1, length) }
    : {};
  return {
    ...period,
    state: 'active',
    // What is carried is not paid yet, and no credit comes of it.
    paidMinor: Math.max(0, row.dueMinor + row.creditMinor - row.carriedMinor - setupOf(row)),
    paidFrom: period.currentPeriodStart ?? row.currentPeriodStart,
    ...nothingDue,
    discountCycle: row.discountCycle + 1,
    reminded: [],
    ...noDunning,
  };
}

export const nothingDue = { dueMinor: 0, creditMinor: 0, carriedMinor: 0 };

export const noDunning = { pastDueAt: null, graceEndsAt: null, nextRetryAt: null, retryNo: 0, soonerNo: 0 };

/** The plan that waited for the period's end, with what it changes; a voucher that is not for it is over. */
async function pendingPlan({ row, inTransaction }: Moment) {
  if (row.pendingAccessFeeId === null) return undefined;
  const fee = await getPlan(row.merchantId, row.pendingAccessFeeId, inTransaction);
  const length = { quantity: fee.quantity, period: fee.period };
  return {
    length,
    isSameLength: fee.quantity === row.periodQuantity && fee.period === row.period,
    changes: {
      accessFeeId: fee.id,
      priceMinor: fee.amountMinor,
      periodQuantity: fee.quantity,
      period: fee.period,
      pendingAccessFeeId: null,
      ...(await discountUnder(row, fee, inTransaction)),
    },
  };
}
