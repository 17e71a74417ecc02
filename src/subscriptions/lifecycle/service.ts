import { now } from '../../adapters/clock';
import { cardProvider, sandbox } from '../../adapters/cardProviders';
import { type ChargeResult } from '../../adapters/cardProviders/provider';
import { enqueue, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { endAccess, grantAccess } from '../../items/access/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import {
  paymentAnsweredSignal,
  subscriptionWorkflowId,
  type ChargeInput,
  type ChargeOutcome,
  type FailureInput,
  type OpenedPeriod,
} from '../../../workflows/messages';
import { amountText, formatAmount } from '../billing/money';
import { periodEnd } from '../billing/periods';
import { Card } from '../cards/model';
import { Subscription, SubscriptionEvent, type SubscriptionState } from '../model';
import { Charge } from './model';
import { presentAction, presentFailure, presentPayment } from './presenter';

/** What the steps of a subscription's workflow do. Each may run twice; its effect happens once. */

/** Access outlasts a renewing period by this much, so that a slow renewal never flickers (subscriptions 3). */
const settleMarginMs = 3_600_000;

/** Who wrote a transition: the run that an operator can open. */
export interface WorkflowRun {
  runId: string;
}

/** Charges a cycle once: the key is the charge's name at the provider, and a settled charge only answers. */
export async function chargeCycle(input: ChargeInput): Promise<ChargeOutcome> {
  const { row, charge } = await openCharge(input);
  if (charge.status !== 'open') return outcomeOf(charge);
  if (charge.amountMinor === 0) return settle(charge, { outcome: 'paid', reference: '' });
  const card = await Card.findByPk(charge.cardId, { rejectOnEmpty: true });
  const result = await cardProvider.charge({
    idempotencyKey: charge.idempotencyKey,
    token: card.token,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    description: `Subscription ${row.token}`,
    ...(row.returnUrl !== null && { returnUrl: row.returnUrl }),
  });
  return settle(charge, result);
}

/** Asks the provider what became of a charge: after an answer that was lost, and after an authentication. */
export async function lookUpCharge(input: ChargeInput): Promise<ChargeOutcome> {
  const { charge } = await openCharge(input);
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  return settle(charge, await cardProvider.lookUpCharge(charge.idempotencyKey));
}

/** The first period begins with the money: access first, then the events, in one transaction. */
export function activateSubscription(subscriptionId: number, run: WorkflowRun): Promise<OpenedPeriod> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return { periodEndMs: row.currentPeriodEnd?.getTime() ?? 0 };
    const charge = await getPaidCharge(row, 1, inTransaction);
    const startsAt = charge.settledAt ?? now();
    const endsAt = periodEnd(startsAt, 1, { quantity: row.periodQuantity, period: row.period });
    await moveTo(row, 'active', 'first payment', run, inTransaction, {
      anchorAt: startsAt,
      currentPeriodStart: startsAt,
      currentPeriodEnd: endsAt,
      cycle: 1,
    });
    const access = await grantAccess(inTransaction, {
      merchantId: row.merchantId,
      accountId: row.accountId,
      itemId: row.itemId,
      accessFeeId: row.accessFeeId,
      source: 'subscription',
      sourceId: row.id,
      ipAddress: row.ipAddress,
      startsAt,
      expiresAt: new Date(endsAt.getTime() + settleMarginMs),
    });
    const payment = await describePayment(row, charge.amountMinor, 'success', inTransaction);
    const { accountId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'access.granted', accountId, dedupeKey: `${row.token}:granted:1`, resource: access },
      { type: 'subscribe.success', accountId, dedupeKey: `${row.token}:success`, resource: payment },
    ]);
    return { periodEndMs: endsAt.getTime() };
  });
}

/** The subscription never began: no access, nothing charged, and the app is told why. */
export function failSubscription({ subscriptionId, reason, message }: FailureInput, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'incomplete') return;
    await moveTo(row, 'incomplete_expired', reason, run, inTransaction, {
      endedAt: now(),
      failureReason: reason,
      failureMessage: message,
    });
    const { accountId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'subscribe.failed', accountId, dedupeKey: `${row.token}:failed`, resource: presentFailure(row, message) },
    ]);
  });
}

/** The paid time is over and no other period follows it. */
export function expireSubscription(subscriptionId: number, run: WorkflowRun): Promise<void> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(subscriptionId, inTransaction);
    if (row.state !== 'active') return;
    const endedAt = row.currentPeriodEnd ?? now();
    await moveTo(row, 'expired', 'not renewed', run, inTransaction, { endedAt });
    await endAccess(inTransaction, { source: 'subscription', sourceId: row.id }, endedAt);
    const payment = await describePayment(row, row.priceMinor, 'expired', inTransaction);
    const { accountId, itemId } = row;
    await publish(inTransaction, row.merchantId, [
      { type: 'access.revoked', accountId, dedupeKey: `${row.token}:revoked`, resource: { item_id: itemId } },
      { type: 'subscribe.expired', accountId, dedupeKey: `${row.token}:expired`, resource: payment },
    ]);
  });
}

/** The payer comes back from an authentication: the workflow is told to look, unless it has the answer already. */
export async function confirmPayment(caller: Caller, reference: string, requestId: string): Promise<Subscription> {
  const charge = await Charge.findOne({
    where: { reference, merchantId: caller.merchantId },
    include: 'subscription',
  });
  const row = charge?.subscription;
  if (!charge || row?.accountId !== caller.accountId) throw new AppError('payment_not_found');
  if (charge.status === 'requires_action') await tellWorkflow(row, reference, requestId);
  return row;
}

/** What the sandbox's page shows; a charge that no longer waits is not found. */
export async function getSandboxAuthentication(reference: string) {
  const found = await sandbox.findAuthentication(reference);
  if (!found) throw new AppError('payment_not_found');
  return { description: found.description, amount: formatAmount(found.amountMinor, found.currency) };
}

/** The sandbox plays the customer's bank, and then the provider that tells us of its answer. */
export async function answerSandboxAuthentication(
  reference: string,
  answer: 'approved' | 'refused',
  requestId: string,
): Promise<string | undefined> {
  const returnUrl = await sandbox.answerAuthentication(reference, answer);
  const charge = await Charge.findOne({ where: { reference }, include: 'subscription' });
  if (charge?.subscription) await tellWorkflow(charge.subscription, reference, requestId);
  return returnUrl;
}

async function tellWorkflow(row: Subscription, reference: string, requestId: string): Promise<void> {
  const outboxId = await transaction((inTransaction) =>
    enqueue(inTransaction, {
      messageId: `${row.token}:answered:${reference}`,
      workflow: 'subscription',
      workflowId: subscriptionWorkflowId(row.token),
      signal: paymentAnsweredSignal,
      input: { subscriptionId: row.id },
      labels: { merchantId: row.merchantId, itemId: row.itemId, state: row.state, requestId, summary: '' },
    }),
  );
  await sendNow(outboxId);
}

async function openCharge({ subscriptionId, cycle, attempt }: ChargeInput) {
  const row = await Subscription.findByPk(subscriptionId, { rejectOnEmpty: true });
  const idempotencyKey = `${row.token}:${cycle}:${attempt}`;
  const [charge] = await Charge.findOrCreate({
    where: { idempotencyKey },
    defaults: {
      merchantId: row.merchantId,
      subscriptionId,
      cycle,
      attempt,
      idempotencyKey,
      cardId: row.cardId,
      amountMinor: row.priceMinor + (cycle === 1 ? row.setupFeeMinor : 0),
      currency: row.currency,
      status: 'open',
    },
  });
  return { row, charge };
}

/** Writes what the provider said. Once paid or declined a charge stays so: the update matches an unsettled row only. */
function settle(charge: Charge, result: ChargeResult): Promise<ChargeOutcome> {
  if (result.outcome === 'not_sent') return Promise.resolve({ outcome: 'not_sent' });
  if (result.outcome === 'unknown' || result.outcome === 'pending') return Promise.resolve({ outcome: 'unknown' });
  return transaction(async (inTransaction) => {
    const before = charge.status;
    await charge.reload({ transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
    if (charge.status !== before) return outcomeOf(charge);
    await charge.update(settled(result), { transaction: inTransaction });
    if (result.outcome === 'requires_action' && before === 'open') await askForAction(charge, inTransaction);
    return outcomeOf(charge);
  });
}

function settled(result: Extract<ChargeResult, { outcome: 'paid' | 'declined' | 'requires_action' }>) {
  if (result.outcome === 'paid') return { status: 'paid' as const, reference: result.reference, settledAt: now() };
  if (result.outcome === 'requires_action')
    return { status: 'requires_action' as const, reference: result.reference, redirectUrl: result.redirectUrl };
  const { reason, message } = result;
  return { status: 'declined' as const, declineReason: reason, declineMessage: message, settledAt: now() };
}

function outcomeOf(charge: Charge): ChargeOutcome {
  if (charge.status === 'paid') return { outcome: 'paid' };
  if (charge.status === 'requires_action') return { outcome: 'requires_action' };
  if (charge.status === 'open') return { outcome: 'unknown' };
  return { outcome: 'declined', reason: charge.declineReason ?? 'declined', message: charge.declineMessage ?? '' };
}

async function askForAction(charge: Charge, inTransaction: Transaction): Promise<void> {
  const row = await Subscription.findByPk(charge.subscriptionId, { rejectOnEmpty: true, transaction: inTransaction });
  await publish(inTransaction, row.merchantId, [
    {
      type: 'subscribe.requires.action',
      accountId: row.accountId,
      dedupeKey: `${charge.idempotencyKey}:action`,
      resource: presentAction(row, charge),
    },
  ]);
}

async function lockSubscription(id: number, inTransaction: Transaction): Promise<Subscription> {
  return Subscription.findByPk(id, {
    rejectOnEmpty: true,
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
}

async function getPaidCharge(row: Subscription, cycle: number, inTransaction: Transaction): Promise<Charge> {
  return Charge.findOne({
    where: { subscriptionId: row.id, cycle, status: 'paid' },
    rejectOnEmpty: true,
    transaction: inTransaction,
  });
}

async function moveTo(
  row: Subscription,
  state: SubscriptionState,
  reason: string,
  run: WorkflowRun,
  inTransaction: Transaction,
  changes: Partial<Subscription>,
): Promise<void> {
  const fromState = row.state;
  const version = row.version + 1;
  await row.update({ ...changes, state, version, updatedAt: now() }, { transaction: inTransaction });
  await SubscriptionEvent.create(
    {
      merchantId: row.merchantId,
      subscriptionId: row.id,
      sequence: version + 1,
      fromState,
      toState: state,
      reason,
      actor: 'workflow',
      workflowRunId: run.runId,
    },
    { transaction: inTransaction },
  );
}

async function describePayment(row: Subscription, amountMinor: number, status: string, inTransaction: Transaction) {
  const shown = await Subscription.findByPk(row.id, {
    rejectOnEmpty: true,
    include: ['account', 'accessFee', { association: 'item', include: ['metadata'] }],
    transaction: inTransaction,
  });
  const preview = shown.item?.metadata?.find(({ name }) => name === 'preview_title')?.value;
  const amounts = { plain: amountText(amountMinor, row.currency), formatted: formatAmount(amountMinor, row.currency) };
  return presentPayment(shown, amounts, { status, at: now(), previewTitle: preview ?? shown.item?.title ?? '' });
}
