import { now } from '../../adapters/clock';
import { cardProvider, sandbox } from '../../adapters/cardProviders';
import { type ChargeResult } from '../../adapters/cardProviders/provider';
import { enqueue, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import {
  paymentAnsweredSignal,
  subscriptionWorkflowId,
  type ChargeInput,
  type ChargeOutcome,
} from '../../../workflows/messages';
import { formatAmount } from '../billing/money';
import { Subscription } from '../model';
import { Charge, openCharge, settleCharge, type ChargeState, type OpenedCharge, type Settlement } from './model';
import { presentAction } from './presenter';

/** Charges a cycle once: the key is the charge's name at the provider, and a settled charge only answers. */
export async function chargeCycle(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if (charge.status !== 'open') return outcomeOf(charge);
  if (charge.amountMinor === 0) return settle(charge, { outcome: 'paid', reference: '' });
  const result = await cardProvider.charge({
    idempotencyKey: charge.idempotencyKey,
    token: charge.cardToken,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    description: `Subscription ${charge.subscriptionToken}`,
    ...(charge.returnUrl !== null && { returnUrl: charge.returnUrl }),
  });
  return settle(charge, result);
}

/** Asks the provider what became of a charge: after an answer that was lost, and after an authentication. */
export async function lookUpCharge(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  return settle(charge, await cardProvider.lookUpCharge(charge.idempotencyKey));
}

/** Nobody waits for the payer any longer: what is approved after this is not charged. */
export async function voidCharge(input: ChargeInput): Promise<ChargeOutcome> {
  const charge = await openCharge(input);
  if (charge.status === 'paid' || charge.status === 'declined') return outcomeOf(charge);
  return settle(charge, await cardProvider.voidCharge(charge.idempotencyKey));
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
  const queued = await transaction((inTransaction) =>
    enqueue(inTransaction, {
      messageId: `${row.token}:answered:${reference}`,
      workflow: 'subscription',
      workflowId: subscriptionWorkflowId(row.token),
      signal: paymentAnsweredSignal,
      input: { subscriptionId: row.id },
      labels: { merchantId: row.merchantId, itemId: row.itemId, state: row.state, requestId, summary: '' },
    }),
  );
  await sendNow(queued);
}

/** Writes what the provider said, and tells the payer when it is asked to authenticate. */
async function settle(charge: OpenedCharge, result: ChargeResult): Promise<ChargeOutcome> {
  if (result.outcome === 'not_sent') return { outcome: 'not_sent' };
  if (result.outcome === 'unknown' || result.outcome === 'pending') return { outcome: 'unknown' };
  if (result.outcome !== 'requires_action') return outcomeOf(await settleCharge(charge, settled(result)));
  return transaction(async (inTransaction) => {
    const after = await settleCharge(charge, settled(result), inTransaction);
    if (after.isWritten && charge.status === 'open') await askForAction(charge, result, inTransaction);
    return outcomeOf(after);
  });
}

type Action = Extract<ChargeResult, { outcome: 'requires_action' }>;
type Known = Extract<ChargeResult, { outcome: 'paid' | 'declined' }> | Action;

function settled(result: Known): Settlement {
  if (result.outcome === 'paid') return { status: 'paid', reference: result.reference, settledAt: now() };
  if (result.outcome === 'requires_action')
    return { status: 'requires_action', reference: result.reference, redirectUrl: result.redirectUrl };
  const { reason, message } = result;
  return { status: 'declined', declineReason: reason, declineMessage: message, settledAt: now() };
}

function outcomeOf(charge: ChargeState): ChargeOutcome {
  if (charge.status === 'paid') return { outcome: 'paid' };
  if (charge.status === 'requires_action') return { outcome: 'requires_action' };
  if (charge.status === 'open') return { outcome: 'unknown' };
  return { outcome: 'declined', reason: charge.declineReason ?? 'declined', message: charge.declineMessage ?? '' };
}

async function askForAction(charge: OpenedCharge, action: Action, inTransaction: Transaction): Promise<void> {
  const row = await Subscription.findByPk(charge.subscriptionId, { rejectOnEmpty: true, transaction: inTransaction });
  await publish(inTransaction, row.merchantId, [
    {
      type: 'subscribe.requires.action',
      accountId: row.accountId,
      dedupeKey: `${charge.idempotencyKey}:action`,
      resource: presentAction(row, action),
    },
  ]);
}
