import { sandbox } from '../../adapters/cardProviders';
import { type BankAnswer } from '../../adapters/cardProviders/sandboxWire';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { paymentAnsweredSignal, paymentWorkflowId, subscriptionWorkflowId } from '../../../workflows/messages';
import { toMajor } from '../../billing/money';
import { settleSetup } from '../setups/settling';
import { findMerchantOfSetup, findPurchaseOfSetup, findSetupOfReference } from '../setups/setups.model';
import { Charge, findMerchantOfCharge, findPurchase, getPurchase, type Purchase } from './charges.model';

export { type BankAnswer };

/** The uuid of the merchant whose payer authenticates a charge or a card at the provider. */
export async function findMerchantOfAuthentication(reference: string): Promise<string | undefined> {
  return (await findMerchantOfCharge(reference)) ?? findMerchantOfSetup(reference);
}

/**
 * The answers of payers and providers to an authentication. Each is a signal to the purchase's workflow, which then
 * looks the charge up.
 */

/** The payer returns from the authentication. If the charge is settled already, the workflow knows its outcome. */
export async function confirmPayment(caller: Caller, reference: string, requestId: string): Promise<Purchase> {
  const charge = await Charge.findOne({ where: { reference, merchantId: caller.merchantId } });
  const purchase = charge ? await getPurchase(charge.id) : await findPurchaseOfSetup(reference, caller.merchantId);
  if (purchase?.accountId !== caller.accountId) throw new AppError('payment_not_found');
  const isOpen = charge?.status === 'requires_action' || charge?.status === 'processing';
  if (!charge || isOpen) await sendAnswer(purchase, reference, requestId);
  return purchase;
}

/** The content of the sandbox's authentication page. Throws `payment_not_found` if the charge no longer waits. */
export async function getSandboxAuthentication(reference: string) {
  const found = await sandbox.findAuthentication(reference);
  if (!found) throw new AppError('payment_not_found');
  const { description, amount, method } = found;
  const price = amount && { amount: toMajor(amount.minor, amount.currency), currency: amount.currency };
  return { description, price, method };
}

/** The sandbox acts as the customer's bank, and then as the provider that reports the answer of the bank. */
export async function answerSandboxAuthentication(
  reference: string,
  answer: BankAnswer,
  requestId: string,
): Promise<string | undefined> {
  const returnUrl = await sandbox.answerAuthentication(reference, answer);
  const purchase = (await findPurchase(reference)) ?? (await findPurchaseOfSetup(reference));
  if (purchase) await sendAnswer(purchase, reference, requestId);
  else await answerSetup(reference, requestId);
  return returnUrl;
}

/** Uses a new default card or another method of a subscription if its payer has agreed. */
async function answerSetup(reference: string, requestId: string): Promise<void> {
  const setup = await findSetupOfReference(reference);
  if (setup) await settleSetup(setup, requestId);
}

/** Signals the workflow of the purchase to look the charge up. */
export async function sendAnswer(purchase: Purchase, reference: string, requestId: string): Promise<void> {
  await sendNow(await transaction((inTransaction) => enqueueAnswer(inTransaction, purchase, reference, requestId)));
}

/** Enqueues the signal that the payer or the provider has answered. The workflow then looks the charge up. */
export function enqueueAnswer(
  inTransaction: Transaction,
  purchase: Purchase,
  reference: string,
  requestId: string,
): Promise<OutboxRow> {
  const { id, kind, token, merchantId, itemId, state } = purchase;
  const answer = {
    messageId: `${token}:answered:${reference}`,
    signal: paymentAnsweredSignal,
    labels: { merchantId, itemId, state, requestId, summary: '' },
  };
  return kind === 'payment'
    ? enqueue(inTransaction, {
        ...answer,
        workflow: 'payment',
        workflowId: paymentWorkflowId(token),
        input: { paymentId: id },
      })
    : enqueue(inTransaction, {
        ...answer,
        workflow: 'subscription',
        workflowId: subscriptionWorkflowId(token),
        input: { subscriptionId: id },
      });
}
