import { merchantNow } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { publish } from '../../notifications/publish';
import { releaseTrial } from '../../entitlements/trials';
import { describeTax } from '../../tax/taxTexts';
import { confirmVoucher, releaseVoucher } from '../../vouchers/uses';
import {
  type ChangeRequest,
  type ChargedPeriod,
  type ChargeInput,
  type CycleCharge,
  type ChargeOutcome,
  type FailureInput,
  type NextPeriodInput,
  type OpenedPeriod,
  type OpenedTrial,
} from '../../../workflows/messages';
import { periodEnd } from '../../billing/periods';
import { trialEnd } from '../../billing/trials';
import { keepAsDefault } from '../cards';
import { getFundingCharge } from '../charges/cycles.model';
import * as charges from '../charges/charges';
import { startPaid } from '../refunds/losses';
import { type Subscription } from '../subscriptions.model';
import { refuseOutOfSync } from '../restorations';
import { openAccess } from './accesses';
import { getEventFacts } from './lifecycle.model';
import { mailFailedDebit } from './debits';
import { beginPeriod, isReceiptDue, mailTo, periodReceiptOf } from './periods';
import { begunEvents, failedEvents } from './outcomes';
import { change, describePayment, lockSubscription, snapshotWhenOpened, type WorkflowRun } from './steps';
import { nextCharge, paidForPeriod } from './prices';

/** Starts and charges subscriptions. A step of the workflow may run twice; its effect happens once. */

/** Charges a cycle. Throws if the run does not know the row as it is. */
export async function chargeCycle(input: ChargeInput, run: WorkflowRun, tryNo = 1): Promise<ChargeOutcome> {
  if ('subscriptionId' in input && input.version !== undefined)
    await refuseOutOfSync({ ...input, version: input.version, workflowId: run.workflowId ?? '' });
  return charges.chargeCycle(input, tryNo);
}

/**
 * Charges the first cycle and, if it is paid, opens the first period immediately, because the payer waits for the
 * event. The workflow also opens the period, and finds the step already done.
 */
export async function chargeFirstPeriod(input: CycleCharge, run: WorkflowRun, tryNo = 1): Promise<ChargeOutcome> {
  const outcome = await chargeCycle(input, run, tryNo);
  if (outcome.outcome === 'paid')
    await transaction(async (inTransaction) => {
      const row = await lockSubscription(input.subscriptionId, inTransaction, run);
      if (row.state === 'incomplete') await activate(row, run, inTransaction);
    });
  return outcome;
}

/** Changes that were requested before a step was due come first. */
class EarlierRequestsError extends Error {
  constructor(readonly requests: ChangeRequest[]) {
    super('stored changes come first');
  }
}

/**
 * Begins the next period and sends its first charge. A call that is repeated finds the period begun, and the provider knows
 * the charge by its key. If the row keeps changes that were requested before the step was due, nothing begins and the run
 * carries out the changes first: a customer who has canceled in time is not charged.
 */
export async function chargeNextPeriod(
  { dueAtMs, ...input }: NextPeriodInput,
  run: WorkflowRun,
  tryNo = 1,
): Promise<ChargedPeriod> {
  try {
    const snapshot = await beginPeriod(input, run, ({ row }) => refuseAfterRequests(row, dueAtMs));
    const { subscriptionId, atMs } = input;
    const { version, cycle, attempt, dueMinor: amountMinor } = snapshot;
    const charge = { subscriptionId, version, cycle, attempt, amountMinor, atMs };
    return { snapshot, outcome: await chargeCycle(charge, run, tryNo) };
  } catch (error) {
    if (error instanceof EarlierRequestsError) return { requests: error.requests };
    throw error;
  }
}

function refuseAfterRequests(row: Subscription, dueAtMs: number): void {
  const requests = (row.requests as ChangeRequest[]).filter(({ atMs }) => atMs <= dueAtMs);
  if (requests.length > 0) throw new EarlierRequestsError(requests);
}

/** The first period begins with the payment. */
export function activateSubscription(subscriptionId: number, run: WorkflowRun): Promise<OpenedPeriod> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction, run);
    if (row.state === 'incomplete') await activate(row, run, inTransaction);
    return openedPeriod(row, run, inTransaction);
  });
}

/** The state at the start of the first period, even if later steps were taken since. */
async function openedPeriod(row: Subscription, run: WorkflowRun, inTransaction: Transaction): Promise<OpenedPeriod> {
  const snapshot = await snapshotWhenOpened(row, run, inTransaction);
  return { periodEndMs: snapshot.periodEndMs, snapshot };
}

type FirstCharge = Awaited<ReturnType<typeof getFundingCharge>>;

async function paid(row: Subscription, charge: FirstCharge, startsAt: Date, inTransaction: Transaction) {
  const dueMinor = paidForPeriod(charge.dueMinor, row.setupFeeMinor, row);
  const paidMinor = await startPaid(dueMinor, charge, inTransaction);
  return { discountCycle: 1, paidMinor, paidFrom: startsAt, fundedFrom: startsAt };
}

/** The direct debit of the first period is recorded like a renewal when its money arrives. */
const unpaid = (charge: FirstCharge, startsAt: Date) => ({ dueMinor: charge.dueMinor, processingAt: startsAt });

/** Opens access, then publishes the events, in one transaction. */
async function activate(row: Subscription, run: WorkflowRun, inTransaction: Transaction): Promise<void> {
  const charge = await getFundingCharge(row.id, 1, inTransaction);
  const facts = await getEventFacts(row.id, inTransaction);
  const startsAt = charge.settledAt ?? (await merchantNow(row.merchantId, inTransaction));
  const endsAt = periodEnd(startsAt, 1, { quantity: row.periodQuantity, period: row.period });
  const begun = {
    state: 'active',
    anchorAt: startsAt,
    currentPeriodStart: startsAt,
    currentPeriodEnd: endsAt,
    cycle: 1,
    ...(charge.isProcessing ? unpaid(charge, startsAt) : await paid(row, charge, startsAt, inTransaction)),
  } as const;
  await change(row, begun, { reason: 'first payment', at: startsAt, run }, inTransaction);
  // The voucher was held before the charge was sent, so it is still available.
  if (row.voucherId !== null && !charge.isProcessing) await confirmVoucher(inTransaction, row.token);
  const moment = { row, facts, at: startsAt, inTransaction };
  const access = await openAccess(moment, startsAt, endsAt);
  const values = periodReceiptOf(row, facts.description, charge, startsAt, 1);
  if (isReceiptDue(charge) && !charge.isProcessing) await queueMail(inTransaction, mailTo(moment, 'receipt', values));
  const payment = {
    ...describePayment(moment, charge.amountMinor, charge.isProcessing ? 'pending' : 'success', 1),
    ...describeTax(charge.amountMinor, row.currency, charge),
  };
  const event = { accountId: row.accountId, at: startsAt };
  await publish(inTransaction, row.merchantId, [
    { type: 'access.granted', ...event, dedupeKey: `${row.token}:granted:1`, resource: access },
    ...begunEvents({ row, facts, at: startsAt }, payment),
  ]);
}

const voucherGone = { reason: 'voucher_expired', message: 'Voucher not found' };

/** The trial begins immediately. At its end the first charge is due. */
export function startTrial(subscriptionId: number, run: WorkflowRun): Promise<OpenedTrial> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction, run);
    if (row.state !== 'incomplete') return openedPeriod(row, run, inTransaction);
    if (row.trialQuantity === null || row.trialPeriod === null) throw new Error(`subscription ${row.id} has no trial`);
    // A lapsed reservation may now belong to another customer, like before a first charge.
    if (row.voucherId !== null && !(await confirmVoucher(inTransaction, row.token))) return { refused: voucherGone };
    const at = await merchantNow(row.merchantId, inTransaction);
    const endsAt = trialEnd(at, { quantity: row.trialQuantity, period: row.trialPeriod });
    const trial = { trialStart: at, trialEnd: endsAt, currentPeriodStart: at, currentPeriodEnd: endsAt };
    await change(row, { state: 'trialing', ...trial }, { reason: 'trial', at, run }, inTransaction);
    if (row.cardId !== null) await keepAsDefault({ ...row.get(), cardId: row.cardId }, inTransaction);
    const facts = await getEventFacts(subscriptionId, inTransaction);
    const moment = { row, facts, at, inTransaction };
    const access = await openAccess(moment, at, endsAt);
    const event = { accountId: row.accountId, at };
    await publish(inTransaction, row.merchantId, [
      { type: 'access.granted', ...event, dedupeKey: `${row.token}:granted:1`, resource: access },
      {
        type: 'subscribe.success',
        ...event,
        dedupeKey: `${row.token}:success`,
        resource: describePayment(moment, 0, 'success'),
      },
    ]);
    return openedPeriod(row, run, inTransaction);
  });
}

/** The subscription never started: there is no access and no charge, and an event contains the reason. */
export function failSubscription({ subscriptionId, reason, message }: FailureInput, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction, run);
    if (row.state !== 'incomplete') return;
    const at = await merchantNow(row.merchantId, inTransaction);
    const changes = { endedAt: at, failureReason: reason, failureMessage: message };
    await change(row, { state: 'incomplete_expired', ...changes }, { reason, at, run }, inTransaction);
    await releaseVoucher(inTransaction, row.token);
    await releaseTrial(inTransaction, row.merchantId, row.token);
    const facts = await getEventFacts(row.id, inTransaction);
    // The bank decides days after the purchase, so the customer learns it from a mail.
    if (facts.method === 'direct_debit')
      await mailFailedDebit({ row, facts, at, inTransaction }, nextCharge(row), reason);
    await publish(inTransaction, row.merchantId, failedEvents({ row, facts, at }, { reason, message }));
  });
}
