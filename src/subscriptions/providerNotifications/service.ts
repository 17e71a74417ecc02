import { cardProvider } from '../../adapters/cardProviders';
import { type ProviderNotification } from '../../adapters/cardProviders/provider';
import { merchantNow } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { reopenAccess, withdrawAccess } from '../../items/access/withdrawals/service';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { restoredSignal, revokedSignal, subscriptionWorkflowId } from '../../../workflows/messages';
import { findPurchase, type ChargedPurchase } from '../charges/model';
import { promiseAnswer } from '../charges/service';
import { killGift, reviveGift } from '../payments/offers/service';
import { followRefunds, readRefunds } from '../refunds/reports/service';
import { isDisputed, isKnown, note, noteDispute } from './model';

const received = message('Received');

/**
 * A notification only says "look again": it is verified, noted once, and wakes the purchase's workflow, which asks the
 * provider itself; of refunds, which have none where they were made at the provider, it is asked here. What is noted and the word to the workflow are one transaction, so that neither is there alone.
 */
export async function receiveNotification({ raw, requestId }: RequestFacts) {
  if (!cardProvider.readNotification || !raw) throw new AppError('not_found');
  const signature = raw.headers['stripe-signature'];
  const told = cardProvider.readNotification(raw.body, typeof signature === 'string' ? signature : '');
  const named = { provider: cardProvider.name, id: told.id };
  if (await isKnown(named)) return received;
  const purchase = told.reference === '' ? undefined : await findPurchase(told.reference);
  const refunds = purchase && told.about === 'refund' ? await readRefunds(told.reference) : [];
  const queued = await transaction(async (inTransaction) => {
    if (!(await note(inTransaction, named, told.about)) || !purchase) return [];
    if (told.about === 'refund') return followRefunds(inTransaction, purchase, refunds);
    const word = await act(told, purchase, requestId, inTransaction);
    return word ? [word] : [];
  });
  for (const word of queued) await sendNow(word);
  return received;
}

/** The newest word of a dispute counts, whenever it arrives; access comes back when the last one of a purchase is won. */
async function isDecisive(
  { about, dispute }: ProviderNotification,
  purchase: ChargedPurchase,
  inTransaction: Transaction,
): Promise<boolean> {
  if (!dispute) return false;
  const isWon = about === 'dispute_won';
  const word = { ...dispute, provider: cardProvider.name, chargeId: purchase.chargeId, isWon };
  if (!(await noteDispute(inTransaction, word))) return false;
  return !isWon || !(await isDisputed(inTransaction, purchase));
}

async function act(
  told: ProviderNotification,
  purchase: ChargedPurchase,
  requestId: string,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  const { about, id, reference } = told;
  if (about === 'charge') return promiseAnswer(inTransaction, purchase, reference, requestId);
  if (!(await isDecisive(told, purchase, inTransaction))) return undefined;
  const isLost = about === 'disputed';
  if (purchase.kind === 'payment') {
    const given = { source: 'payment', sourceId: purchase.id } as const;
    // A gift opened nothing to its buyer: its code is dead, if nobody has used it.
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
