import { getSettings } from '../../accounts/settings';
import { type Transaction } from '../../adapters/postgres/connection';
import { describeRevocation, endAccess } from '../../entitlements/entitlements';
import { type MailTemplate, type MailValues } from '../../mail/mailValues';
import { type NewMail, queueMail } from '../../mail/mail';
import { type NewEvent, type PaymentResource } from '../../notifications/events';
import { type PauseInput, type SubscriptionSnapshot, type StepInput } from '../../../workflows/messages';
import { describeTax, taxPart } from '../../tax/taxTexts';
import { confirmVoucher } from '../../vouchers/uses';
import { receiptLines } from '../../billing/invoiceLines';
import { settledPart } from '../../billing/money';
import { periodEnd } from '../../billing/periods';
import { getPaidCharge, type PaidCharge } from '../charges/cycles.model';
import { findPendingPlan } from '../plans';
import { startPaid } from '../refunds/losses';
import { type Subscription } from '../subscriptions.model';
import { afterwards, describePayment, takeStep, type Outcome, type StepContext, type WorkflowRun } from './steps';
import { extendAccess, extendPaidAccess, isTakenAway, openAccess } from './accesses';
import { type AnsweredTax, renewAddedTax, withRenewedTax } from '../../tax/addedTaxes';
import { nextCharge, noCharge, paidForPeriod, reductionOfCharge, setupOf } from './prices';

/** Starts the next period, and records its payment. Pauses and resumes. */

/**
 * Begins the next period and fixes its price; the first period begins when a trial ends. A pending plan change takes
 * effect. Access continues for the grace period while the payment is collected. `check` may throw: then nothing is written.
 */
export function beginPeriod(
  input: StepInput,
  run: WorkflowRun,
  check: (moment: StepContext) => void = () => undefined,
): Promise<SubscriptionSnapshot> {
  const begin = (moment: StepContext, provided: AnsweredTax) => {
    check(moment);
    return nextPeriod(moment, provided);
  };
  return withRenewedTax((provided) => takeStep(input, run, (moment) => begin(moment, provided)));
}

async function nextPeriod(moment: StepContext, provided: AnsweredTax): Promise<Outcome> {
  const { row, inTransaction } = moment;
  const plan = await findPendingPlan(row, inTransaction);
  const startsAt = row.currentPeriodEnd ?? moment.at;
  const isAnchored = row.state === 'active' && plan?.isSameLength !== false;
  const anchorAt = isAnchored ? (row.anchorAt ?? startsAt) : startsAt;
  const periodNo = isAnchored ? row.periodNo + 1 : 1;
  const length = { quantity: row.periodQuantity, period: row.period, ...plan?.length };
  const { graceDays, retryDays } = await getSettings(row.merchantId, inTransaction);
  await extendAccess(moment, startsAt, new Date(startsAt.getTime() + graceDays * 86_400_000));
  const addedTax = await renewAddedTax(row, moment.at, inTransaction, provided);
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
      collectsAt: moment.at,
      graceDays,
      retryDays: [...retryDays],
      reminded: [],
      addedTax,
      dueMinor: nextCharge({ ...row.get(), ...plan?.changes, addedTax }),
    },
  };
}

/**
 * The charge of the period is paid. A payment within the grace period does not change the dates of the period, unless
 * the period is over. After a hold or a pause, a new period begins with the payment.
 */
export function renewSubscription(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, at, inTransaction } = moment;
    const opens = row.state !== 'active' && row.state !== 'past_due' && !(await isTakenAway(moment));
    // The first payment was a direct debit that had opened access before its money arrived.
    const isFirst = row.trialEnd === null && row.discountCycle === 0;
    if (isFirst && row.voucherId !== null) await confirmVoucher(inTransaction, row.token);
    const isConversion = row.trialEnd !== null && row.discountCycle === 0;
    const hadFailed = row.pastDueAt !== null;
    const charge = await getPaidCharge(row.id, row.cycle, inTransaction);
    const { amountMinor, attempt } = charge;
    // The row stores the attempt that was paid. Otherwise a new run would take a later attempt for a charge without an
    // outcome.
    const changes = { ...(await paidChanges(moment, charge)), attempt };
    const period = { ...row.get(), ...changes };
    const endsAt = period.currentPeriodEnd ?? at;
    const startsAt = changes.currentPeriodStart ?? at;
    await extendPaidAccess(moment, startsAt, endsAt);
    const values = periodReceiptOf(row, facts.description, charge, hadFailed ? endsAt : at, row.discountCycle + 1);
    if (isReceiptDue(charge) || hadFailed)
      await queueMail(inTransaction, mailTo(moment, hadFailed ? 'payment_recovered' : 'receipt', values));
    const status = hadFailed ? 'recovered' : 'renewed';
    const payment = {
      ...describePayment({ row: period, facts, at }, amountMinor, status),
      ...describeTax(amountMinor, row.currency, charge),
    };
    const event = { accountId: row.accountId, resource: payment };
    const events: NewEvent[] = [
      ...(opens ? [grantedEvent(row, await openAccess(moment, startsAt, endsAt))] : []),
      ...(isConversion ? [{ type: 'trial.converted' as const, ...event, dedupeKey: `${row.token}:converted` }] : []),
      isFirst
        ? updatedEvent(row, { ...payment, status: 'success' })
        : { type: 'subscribe.renewed', ...event, dedupeKey: renewalKey(row, attempt) },
    ];
    return { reason: hadFailed ? 'recovered' : 'paid', changes, events };
  });
}

/** The paid period is over and the pause begins. */
export function pauseSubscription(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    await endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, at);
    const changes = { state: 'paused', pauseAtPeriodEnd: false, reminded: [] as string[] } as const;
    return {
      reason: 'paused',
      changes,
      events: [
        await revokedEvent(row, inTransaction),
        updatedEvent(row, describePayment(afterwards(moment, changes), 0, 'paused', noCharge)),
      ],
    };
  });
}

/** Plans a pause for the end of the period, or removes the plan. */
export function planPause(
  { pauses, resumesAtMs, ...input }: PauseInput,
  run: WorkflowRun,
): Promise<SubscriptionSnapshot> {
  const resumesAt = resumesAtMs === undefined ? null : new Date(resumesAtMs);
  return takeStep(input, run, (moment) => pausePlan(moment, { pauses, resumesAt }));
}

export function pausePlan(
  moment: StepContext,
  { pauses, resumesAt }: { pauses: boolean; resumesAt: Date | null },
): Outcome {
  const changes = { pauseAtPeriodEnd: pauses, resumesAt };
  const resource = describePayment(afterwards(moment, changes), 0, pauses ? 'pausing' : 'active', noCharge);
  return {
    reason: pauses ? 'pause planned' : 'pause taken back',
    changes,
    events: [updatedEvent(moment.row, resource)],
  };
}

/**
 * Fixes the price of a new period for a paused subscription, as its next charge. A pending plan change takes effect at
 * the same time.
 */
export function priceResumption(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return withRenewedTax((provided) => takeStep(input, run, (moment) => resumption(moment, provided)));
}

async function resumption(moment: StepContext, provided: AnsweredTax): Promise<Outcome> {
  const changes = (await findPendingPlan(moment.row, moment.inTransaction))?.changes;
  const addedTax = await renewAddedTax(moment.row, moment.at, moment.inTransaction, provided);
  const dueMinor = nextCharge({ ...moment.row.get(), ...changes, addedTax });
  return {
    reason: 'resumption requested',
    changes: {
      ...changes,
      cycle: moment.row.cycle + 1,
      attempt: 1,
      collectsAt: moment.at,
      resumesAt: null,
      addedTax,
      dueMinor,
    },
  };
}

/** The key of a renewal. A cycle is renewed once, and again after its direct debit was taken back. */
const renewalKey = ({ token, cycle, failureReason }: Subscription, attempt: number) =>
  `${token}:renewed:${cycle}${failureReason === 'debit_returned' ? `:${attempt}` : ''}`;

/** The account and the key of an event. The version makes the key unique. */
export function eventOf(row: Subscription, what: string) {
  return { accountId: row.accountId, dedupeKey: `${row.token}:${what}:${row.version + 1}` };
}

export function updatedEvent(row: Subscription, resource: PaymentResource): NewEvent {
  return { type: 'subscribe.updated', ...eventOf(row, 'updated'), resource };
}

function grantedEvent(row: Subscription, resource: Awaited<ReturnType<typeof openAccess>>): NewEvent {
  return { type: 'access.granted', ...eventOf(row, 'granted'), resource };
}

export async function revokedEvent(row: Subscription, inTransaction: Transaction): Promise<NewEvent> {
  const resource = await describeRevocation(inTransaction, row.itemId);
  return { type: 'access.revoked', ...eventOf(row, 'revoked'), resource };
}

/** The purchase in a mail. */
export function purchaseOf({ token, currency, itemId }: Subscription, description: string, amountMinor: number) {
  return { description, token, amountMinor, currency, itemId };
}

/** The values of a receipt. The date is that of the payment, or the end of the period. */
export function receiptOf(row: Subscription, description: string, charge: ReceiptCharge, date: Date) {
  const settled = settledPart(charge.balanceMinor);
  const purchase = purchaseOf(row, description, charge.amountMinor);
  const { trxToken } = charge;
  return { ...purchase, trxToken, date: date.toISOString(), ...(settled && { settled }), ...taxPart(charge) };
}

/**
 * The same for the charge of a whole period, with its price, the setup fee and the discount. `chargeNo` is the number of
 * the charge, counted from 1.
 */
export function periodReceiptOf(
  row: Subscription,
  description: string,
  charge: PaidCharge,
  date: Date,
  chargeNo: number,
) {
  const { priceMinor, currency, addedTax } = row;
  const { amountMinor, balanceMinor } = charge;
  const setupFeeMinor = chargeNo === 1 ? row.setupFeeMinor : 0;
  const price = { amountMinor, balanceMinor, priceMinor, setupFeeMinor, currency, addedTax };
  const parts = receiptLines({ ...price, reduction: reductionOfCharge(row, chargeNo) });
  return { ...receiptOf(row, description, charge, date), ...parts };
}

type ReceiptCharge = Pick<PaidCharge, 'trxToken' | 'amountMinor' | 'balanceMinor' | 'taxMinor' | 'taxRateMilli'>;
type SettledCharge = Pick<PaidCharge, 'amountMinor' | 'balanceMinor'>;

/** A receipt is mailed if the card or the credit paid an amount. A free period has no receipt. */
export const isReceiptDue = ({ amountMinor, balanceMinor }: SettledCharge) => amountMinor > 0 || balanceMinor > 0;

export function mailTo<T extends MailTemplate>(
  { row, facts }: Pick<StepContext, 'row' | 'facts'>,
  template: T,
  values: MailValues[T],
): NewMail<T> {
  const { merchantId, accountId, brandingId } = row;
  return { merchantId, accountId, brandingId, to: facts.email, template, values };
}

async function paidChanges(
  { row, at, inTransaction }: StepContext,
  charge: PaidCharge,
): Promise<Partial<Subscription>> {
  const length = { quantity: row.periodQuantity, period: row.period };
  // A direct debit that is paid late keeps the period that it was submitted for.
  const isKept = row.state === 'active' && row.processingAt !== null;
  const isOver = !isKept && (row.currentPeriodEnd === null || row.currentPeriodEnd <= at);
  const isNew = row.state === 'on_hold' || row.state === 'paused' || isOver;
  const period = isNew
    ? { anchorAt: at, periodNo: 1, currentPeriodStart: at, currentPeriodEnd: periodEnd(at, 1, length) }
    : {};
  return {
    ...period,
    state: 'active',
    paidMinor: await startPaid(paidForPeriod(row.dueMinor, setupOf(row), row), charge, inTransaction),
    paidFrom: period.currentPeriodStart ?? row.currentPeriodStart,
    fundedFrom: period.currentPeriodStart ?? row.currentPeriodStart,
    dueMinor: 0,
    discountCycle: row.discountCycle + 1,
    reminded: [],
    ...noDunning,
  };
}

export const noDeferral = { deferredAt: null, deferredNo: 0, deferredUntil: null };

export const noDunning = {
  pastDueAt: null,
  graceEndsAt: null,
  nextRetryAt: null,
  retryNo: 0,
  soonerNo: 0,
  processingAt: null,
  ...noDeferral,
};
