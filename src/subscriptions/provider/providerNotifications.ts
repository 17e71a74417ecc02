import { cardProvider, sandbox } from '../../adapters/cardProviders';
import { type ReturnedDebit } from '../../adapters/cardProviders/debits';
import { type NotifiedDispute, type ProviderNotification } from '../../adapters/cardProviders/notifications';
import { sandboxSignatureHeader } from '../../adapters/cardProviders/sandboxSignatures';
import { merchantNow } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { refuseMoving } from '../../accounts/merchants/states';
import { reopenAccess, withdrawAccess } from '../../entitlements/withdrawals';
import { correctDisputedInvoice } from '../../invoices/issuing';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { correctDisputedTax } from '../../tax/chargeTaxes';
import {
  debitReturnedSignal,
  restoredSignal,
  revokedSignal,
  subscriptionWorkflowId,
} from '../../../workflows/messages';
import { enqueueAnswer, sendAnswer } from '../charges/answers';
import { findPurchase, type ChargedPurchase } from '../charges/charges.model';
import { findDebit } from './debitReturns.model';
import { killGift, reviveGift } from '../payments/offers';
import { followFraudWarning } from '../refunds/fraudWarnings';
import { writeEnd } from '../methods/mandates.model';
import { followRefunds, readRefunds } from '../refunds/reports';
import { settleSetup } from '../setups/settling';
import { findPurchaseOfSetup, findSetupOfReference } from '../setups/setups.model';
import { followCardUpdate } from './cardUpdates';
import { returnDisputed, takeDisputed } from './disputedPeriods';
import { reportDispute } from './disputes';
import { findProviderOfUuid, type OwnedProvider } from './providers';
import {
  findDecision,
  isDisputed,
  isKnown,
  isReferenceAwaited,
  recordDispute,
  recordNotification,
} from './providerNotifications.model';

const received = message('Received');

/**
 * A notification only says that something has changed. It is verified, recorded once, and signals the purchase's
 * workflow, which asks the provider for the outcome. A refund that was made at the provider has no workflow, so refunds
 * are read here. The notification and its signal are one transaction.
 */
export async function receiveNotification(request: RequestFacts) {
  if (cardProvider === sandbox) throw new AppError('not_found');
  return receiveFrom({ provider: cardProvider }, request);
}

/** The notification of the sandbox, if it is the provider of this installation. */
export async function receiveSandboxNotification(request: RequestFacts) {
  if (cardProvider !== sandbox) throw new AppError('not_found');
  return receiveFrom({ provider: sandbox }, request, sandboxSignatureHeader);
}

/** The notification of an account that a merchant has connected. It affects only purchases of this merchant. */
export async function receiveAccountNotification(accountUuid: string, request: RequestFacts) {
  const owned = await findProviderOfUuid(accountUuid);
  if (!owned) throw new AppError('not_found');
  return receiveFrom(owned, request);
}

/** A verified notification of an account is followed once, for purchases of its merchant. */
export async function receiveFrom(
  { provider, merchantId }: OwnedProvider,
  { raw, requestId }: RequestFacts,
  signatureHeader = 'stripe-signature',
) {
  if (!provider.readNotification || !raw) throw new AppError('not_found');
  const signature = raw.headers[signatureHeader];
  const notification = provider.readNotification(raw.body, typeof signature === 'string' ? signature : '');
  const { id, about, reference } = notification;
  // Two merchants may have connected the same account. Each then receives every notification.
  const receiver = merchantId === undefined ? provider.name : `${provider.name}:${merchantId}`;
  const named = { provider: receiver, id };
  if (await isKnown(named)) return received;
  if (merchantId !== undefined) await refuseMoving([merchantId]);
  if (about === 'setup') return receiveSetup(reference, merchantId, requestId);
  const isOfPurchase = reference !== '' && about !== 'mandate';
  const purchase = isOfPurchase ? await findPurchase(reference, merchantId) : undefined;
  if (isOfPurchase && !purchase && about !== 'charge') await refuseUnreferenced(merchantId);
  if (purchase) await refuseMoving([purchase.merchantId]);
  const refunds = purchase && about === 'refund' ? await readRefunds(provider, reference) : [];
  const queued = await transaction(async (inTransaction) => {
    if (!(await recordNotification(inTransaction, named, about))) return [];
    const account = { id, provider: provider.name, merchantId };
    if (notification.card) return followCardUpdate(inTransaction, notification.card, account);
    if (about === 'mandate')
      await refuseMoving(await writeEnd(inTransaction, { ...account, tokenEnd: reference }), inTransaction);
    if (!purchase) return [];
    if (about === 'refund') return followRefunds(inTransaction, purchase, refunds);
    if (about === 'fraud_warning') return followFraudWarning(inTransaction, purchase);
    const signal = await act({ notification, purchase, provider: provider.name, requestId }, inTransaction);
    return signal ? [signal] : [];
  });
  for (const signal of queued) await sendNow(signal);
  return received;
}

/**
 * The reference may belong to a charge whose answer has not arrived. The provider then has to notify again, because a
 * recorded notification would be lost for this charge. The outcome of a charge is looked up in any case.
 */
async function refuseUnreferenced(merchantId: number | undefined): Promise<void> {
  if (!(await isReferenceAwaited(merchantId))) return;
  throw new AppError('service_unavailable', { explain: 'A charge waits for its reference', retryAfterSeconds: 60 });
}

/** A dispute whose notification was lost, as the provider reports it now. */
export function followDisputeNow(
  inTransaction: Transaction,
  { dispute, purchase, provider }: { dispute: NotifiedDispute; purchase: ChargedPurchase; provider: string },
): Promise<OutboxRow | undefined> {
  const about = dispute.status === 'won' ? 'dispute_won' : 'disputed';
  const id = `${dispute.reference}:${about}:${dispute.at.getTime()}`;
  return act({ notification: { id, about, reference: '', dispute }, purchase, provider, requestId: '' }, inTransaction);
}

/** This notification is not recorded, because a repeated one changes nothing. */
async function receiveSetup(reference: string, merchantId: number | undefined, requestId: string) {
  const purchase = await findPurchaseOfSetup(reference, merchantId);
  const setup = purchase ? undefined : await findSetupOfReference(reference, merchantId);
  const owner = purchase ?? setup;
  if (owner) await refuseMoving([owner.merchantId]);
  if (purchase) await sendAnswer(purchase, reference, requestId);
  if (setup) await settleSetup(setup, requestId);
  return received;
}

/** A dispute that is reported by a provider without notifications when it is polled. It is processed once. */
export async function followReturn(
  purchase: ChargedPurchase,
  provider: string,
  { reference, reason, at }: ReturnedDebit,
): Promise<void> {
  const dispute = { reference, reason, at, status: 'lost' } as const;
  const notification = { id: `return:${reference}`, about: 'disputed', reference, dispute } as const;
  const queued = await transaction(async (inTransaction) => {
    const isNew = await recordNotification(inTransaction, { provider, id: notification.id }, notification.about);
    return isNew ? act({ notification, purchase, provider, requestId: '' }, inTransaction) : undefined;
  });
  if (queued) await sendNow(queued);
}

/** A verified notification, and its purchase. */
interface Notice {
  notification: ProviderNotification;
  purchase: ChargedPurchase;
  provider: string;
  requestId: string;
}

/** Only the newest notification of a dispute counts. Access is restored when the last dispute of a purchase is won. */
async function isDecisive(
  { notification: { about, dispute }, purchase, provider }: Notice,
  inTransaction: Transaction,
): Promise<boolean> {
  if (!dispute) return false;
  const { chargeId } = purchase;
  const isWon = about === 'dispute_won';
  const recorded = await recordDispute(inTransaction, { ...dispute, provider, chargeId });
  if (!recorded) return false;
  if (recorded.isNew && !isWon) await reportDispute(inTransaction, recorded.id);
  if (isWon) await returnDisputed(recorded.id, inTransaction);
  else await takeDisputed(recorded.id, recorded.isFirst, inTransaction);
  await correctTax(inTransaction, provider, dispute.reference);
  return !isWon || !(await isDisputed(inTransaction, purchase));
}

/** Runs before events are published: each transaction locks the numbers of invoices before the channel of events. */
async function correctTax(inTransaction: Transaction, provider: string, reference: string): Promise<void> {
  const decision = await findDecision(inTransaction, provider, reference);
  if (!decision) return;
  const at = await merchantNow(decision.merchantId, inTransaction);
  const id = await correctDisputedTax({ ...decision, at }, inTransaction);
  if (id !== undefined) await correctDisputedInvoice({ id, isLost: decision.isLost, at }, inTransaction);
}

async function act(notice: Notice, inTransaction: Transaction): Promise<OutboxRow | undefined> {
  const { purchase, requestId } = notice;
  const { about, id, reference } = notice.notification;
  if (about === 'charge') return enqueueAnswer(inTransaction, purchase, reference, requestId);
  if (!(await isDecisive(notice, inTransaction))) return undefined;
  const isLost = about === 'disputed';
  if (purchase.kind === 'payment') {
    const given = { source: 'payment', sourceId: purchase.id } as const;
    // A gift gives its buyer no access. Its code ends, unless it has been used.
    if (isLost) await killGift(inTransaction, purchase.token);
    else await reviveGift(inTransaction, purchase.token);
    await (isLost ? withdrawAccess : reopenAccess)(inTransaction, purchase, given, id);
    return undefined;
  }
  const { token, merchantId, itemId, state } = purchase;
  const atMs = (await merchantNow(merchantId, inTransaction)).getTime();
  const messageId = `${token}:${about}:${id}`;
  const debit = isLost ? await findDebit(purchase.chargeId, inTransaction) : undefined;
  return enqueue(inTransaction, {
    messageId,
    workflow: 'subscription',
    workflowId: subscriptionWorkflowId(token),
    ...(debit
      ? { signal: debitReturnedSignal, input: { id: messageId, atMs, cycle: debit.cycle } }
      : { signal: isLost ? revokedSignal : restoredSignal, input: { id: messageId, atMs, reason: 'chargeback' } }),
    labels: { merchantId, itemId, state, requestId, summary: '' },
  });
}
