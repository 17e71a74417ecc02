import { merchantNow } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/service';
import { publish } from '../../notifications/publish';
import { releaseTrial } from '../../items/access/trials/service';
import { confirmVoucher, releaseVoucher } from '../../vouchers/uses/service';
import {
  type ChargeInput,
  type ChargeOutcome,
  type FailureInput,
  type OpenedPeriod,
} from '../../../workflows/messages';
import { periodEnd } from '../billing/periods';
import { trialEnd } from '../billing/trials';
import { keepAsDefault } from '../cards/service';
import { getPaidCharge } from '../charges/model';
import * as charges from '../charges/service';
import { type Subscription } from '../model';
import { openAccess } from './accesses/service';
import { getEventFacts } from './model';
import { mailTo, textsOf } from './periods/service';
import { presentFailure } from './presenter';
import {
  change,
  dayText,
  describePayment,
  lockSubscription,
  standingOpened,
  standingOf,
  type WorkflowRun,
} from './steps/service';

/** How a subscription begins, or does not. Each step of its workflow may run twice; its effect happens once. */

/**
 * Charges, and begins the first period with the money: its payer waits for the word of it, which need not go through the
 * workflow first. The workflow comes to the same by itself, and finds it done.
 */
export async function chargeCycle(input: ChargeInput, run: WorkflowRun): Promise<ChargeOutcome> {
  const outcome = await charges.chargeCycle(input);
  if (outcome.outcome === 'paid' && 'subscriptionId' in input && input.cycle === 1)
    await transaction(async (inTransaction) => {
      const row = await lockSubscription(input.subscriptionId, inTransaction);
      if (row.state === 'incomplete') await activate(row, run, inTransaction);
    });
  return outcome;
}

/** The first period has begun with the money. */
export function activateSubscription(subscriptionId: number, run: WorkflowRun): Promise<OpenedPeriod> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state === 'incomplete') await activate(row, run, inTransaction);
    return openedPeriod(row, run, inTransaction);
  });
}

/** How the first period began, however long ago. */
async function openedPeriod(row: Subscription, run: WorkflowRun, inTransaction: Transaction): Promise<OpenedPeriod> {
  const standing = await standingOpened(row, run, inTransaction);
  return { periodEndMs: standing.periodEndMs, standing };
}

/** Access first, then the events, in one transaction. */
async function activate(row: Subscription, run: WorkflowRun, inTransaction: Transaction): Promise<void> {
  const charge = await getPaidCharge(row.id, 1, inTransaction);
  const facts = await getEventFacts(row.id, inTransaction);
  const startsAt = charge.settledAt ?? (await merchantNow(row.merchantId, inTransaction));
  const endsAt = periodEnd(startsAt, 1, { quantity: row.periodQuantity, period: row.period });
  const begun = {
    state: 'active',
    anchorAt: startsAt,
    currentPeriodStart: startsAt,
    currentPeriodEnd: endsAt,
    cycle: 1,
    discountCycle: 1,
    paidMinor: Math.max(0, charge.amountMinor - row.setupFeeMinor),
    paidFrom: startsAt,
  } as const;
  await change(row, begun, { reason: 'first payment', at: startsAt, run }, inTransaction);
  // The charge held its use before it was sent, so none has taken it.
  if (row.voucherId !== null) await confirmVoucher(inTransaction, row.token);
  const moment = { row, facts, at: startsAt, inTransaction };
  const access = await openAccess(moment, startsAt, endsAt);
  const values = { ...textsOf(row, facts.description, charge.amountMinor), date: dayText(startsAt) };
  if (charge.amountMinor > 0) await queueMail(inTransaction, mailTo(moment, 'receipt', values));
  const payment = describePayment(moment, charge.amountMinor, 'success');
  const told = { accountId: row.accountId, at: startsAt };
  await publish(inTransaction, row.merchantId, [
    { type: 'access.granted', ...told, dedupeKey: `${row.token}:granted:1`, resource: access },
    { type: 'subscribe.success', ...told, dedupeKey: `${row.token}:success`, resource: payment },
  ]);
}

const voucherGone = { reason: 'voucher_expired', message: 'Voucher not found' };

/** Free time begins at once; the first charge comes at its end. */
export function startTrial(subscriptionId: number, run: WorkflowRun): Promise<OpenedPeriod> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return openedPeriod(row, run, inTransaction);
    if (row.trialQuantity === null || row.trialPeriod === null) throw new Error(`subscription ${row.id} has no trial`);
    // A use that has lapsed, and is taken by others, is not given twice: as with a first charge.
    if (row.voucherId !== null && !(await confirmVoucher(inTransaction, row.token)))
      return { periodEndMs: 0, refused: voucherGone };
    const at = await merchantNow(row.merchantId, inTransaction);
    const endsAt = trialEnd(at, { quantity: row.trialQuantity, period: row.trialPeriod });
    const trial = { trialStart: at, trialEnd: endsAt, currentPeriodStart: at, currentPeriodEnd: endsAt };
    await change(row, { state: 'trialing', ...trial }, { reason: 'trial', at, run }, inTransaction);
    if (row.cardId !== null) await keepAsDefault({ ...row.get(), cardId: row.cardId }, inTransaction);
    const facts = await getEventFacts(subscriptionId, inTransaction);
    const moment = { row, facts, at, inTransaction };
    const access = await openAccess(moment, at, endsAt);
    const told = { accountId: row.accountId, at };
    await publish(inTransaction, row.merchantId, [
      { type: 'access.granted', ...told, dedupeKey: `${row.token}:granted:1`, resource: access },
      {
        type: 'subscribe.success',
        ...told,
        dedupeKey: `${row.token}:success`,
        resource: describePayment(moment, 0, 'success'),
      },
    ]);
    return openedPeriod(row, run, inTransaction);
  });
}

/** The subscription never began: no access, nothing charged, and the app is told why. */
export function failSubscription({ subscriptionId, reason, message }: FailureInput, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return;
    const at = await merchantNow(row.merchantId, inTransaction);
    const changes = { endedAt: at, failureReason: reason, failureMessage: message };
    await change(row, { state: 'incomplete_expired', ...changes }, { reason, at, run }, inTransaction);
    await releaseVoucher(inTransaction, row.token);
    await releaseTrial(inTransaction, row.merchantId, row.token);
    await publish(inTransaction, row.merchantId, [
      {
        type: 'subscribe.failed',
        accountId: row.accountId,
        dedupeKey: `${row.token}:failed`,
        resource: presentFailure(row, message),
        at,
      },
    ]);
  });
}

/** How a subscription stands that began under older code. */
export function readStanding(subscriptionId: number) {
  return transaction(async (inTransaction) => standingOf(await lockSubscription(subscriptionId, inTransaction)));
}
