import { cardProvider } from '../../adapters/cardProviders';
import { type ProviderNotification } from '../../adapters/cardProviders/provider';
import { merchantNow } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { reopenAccess, withdrawAccess } from '../../entitlements/withdrawals';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { restoredSignal, revokedSignal, subscriptionWorkflowId } from '../../../workflows/messages';
import { enqueueAnswer } from '../charges/answers';
import { findPurchase, type ChargedPurchase } from '../charges/charges.model';
import { killGift, reviveGift } from '../payments/offers';
import { followRefunds, readRefunds } from '../refunds/reports';
import { followDispute, undoDispute } from '../refunds/reserves';
import { isDisputed, isKnown, recordDispute, recordNotification } from './providerNotifications.model';

const received = message('Received');

/**
 * A notification only says that something has changed. It is verified, recorded once, and signals the purchase's
 * workflow, which asks the provider for the outcome. A refund that was made at the provider has no workflow, so refunds
 * are read here. The notification and its signal are one transaction.
 */
export async function receiveNotification({ raw, requestId }: RequestFacts) {
  if (!cardProvider.readNotification || !raw) throw new AppError('not_found');
  const signature = raw.headers['stripe-signature'];
  const notification = cardProvider.readNotification(raw.body, typeof signature === 'string' ? signature : '');
  const named = { provider: cardProvider.name, id: notification.id };
  if (await isKnown(named)) return received;
  const purchase = notification.reference === '' ? undefined : await findPurchase(notification.reference);
  const refunds = purchase && notification.about === 'refund' ? await readRefunds(notification.reference) : [];
  const queued = await transaction(async (inTransaction) => {
    if (!(await recordNotification(inTransaction, named, notification.about)) || !purchase) return [];
    if (notification.about === 'refund') return followRefunds(inTransaction, purchase, refunds);
    const signal = await act(notification, purchase, requestId, inTransaction);
    return signal ? [signal] : [];
  });
  for (const signal of queued) await sendNow(signal);
  return received;
}

/** Only the newest notification of a dispute counts. Access is restored when the last dispute of a purchase is won. */
async function isDecisive(
  { about, dispute }: ProviderNotification,
  purchase: ChargedPurchase,
  inTransaction: Transaction,
): Promise<boolean> {
  if (!dispute) return false;
  const isWon = about === 'dispute_won';
  const notice = { ...dispute, provider: cardProvider.name, chargeId: purchase.chargeId, isWon };
  if (!(await recordDispute(inTransaction, notice))) return false;
  await (isWon ? undoDispute : followDispute)(purchase.chargeId, dispute.id, inTransaction);
  return !isWon || !(await isDisputed(inTransaction, purchase));
}

async function act(
  notification: ProviderNotification,
  purchase: ChargedPurchase,
  requestId: string,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  const { about, id, reference } = notification;
  if (about === 'charge') return enqueueAnswer(inTransaction, purchase, reference, requestId);
  if (!(await isDecisive(notification, purchase, inTransaction))) return undefined;
  const isLost = about === 'disputed';
  if (purchase.kind === 'payment') {
    const given = { source: 'payment', sourceId: purchase.id } as const;
    // A gift gives its buyer no access; its code ends, unless it has been used.
    if (isLost) await killGift(inTransaction, purchase.token);
    else await reviveGift(inTransaction, purchase.token);
    await (isLost ? withdrawAccess : reopenAccess)(inTransaction, purchase, given, id);
    return undefined;
  }
  const { token, merchantId, itemId, state } = purchase;
  const atMs = (await merchantNow(merchantId, inTransaction)).getTime();
  const messageId = `${token}:${about}:${id}`;
  return enqueue(inTransaction, {
    messageId,
    workflow: 'subscription',
    workflowId: subscriptionWorkflowId(token),
    signal: isLost ? revokedSignal : restoredSignal,
    input: { id: messageId, atMs, reason: 'chargeback' },
    labels: { merchantId, itemId, state, requestId, summary: '' },
  });
}
