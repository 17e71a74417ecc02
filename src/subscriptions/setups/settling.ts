import { type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type CardHolder } from '../cards';
import { writeDefault } from '../cards.model';
import { offerCard, offerTo } from '../changes/changes';
import { findPlanMismatch } from '../methods/methods';
import { liveStates, Subscription } from '../subscriptions.model';
import { writeOutcome, type CardSetup } from './setups.model';
import { readOutcome } from './setups';

/** The outcome of a set-up that no new subscription waits for: what is verified is used from now on. */

/** Asks the provider for the outcome, and uses what is verified. A repeated call changes nothing. */
export async function settleSetup(setup: CardSetup, requestId: string): Promise<CardSetup> {
  if (setup.status !== 'requires_action' || setup.subscriptionId !== null) return setup;
  const outcome = await readOutcome(setup);
  if (!outcome) return setup;
  const { status } = outcome;
  const queued = await transaction(async (inTransaction) => {
    const isFirst = await writeOutcome(setup.id, outcome, inTransaction);
    return isFirst && status === 'verified' ? use(inTransaction, setup, requestId) : [];
  });
  await sendAll(queued);
  const { reason = null, message = null } = status === 'declined' ? outcome : {};
  return { ...setup, status, declineReason: reason, declineMessage: message };
}

async function use(inTransaction: Transaction, setup: CardSetup, requestId: string): Promise<OutboxRow[]> {
  const { cardId, currency, changedSubscriptionId: subscriptionId } = setup;
  if (currency !== null) return useByDefault(inTransaction, setup, { cardId, currency }, requestId);
  return subscriptionId === null ? [] : useAgreed(inTransaction, setup, subscriptionId, requestId);
}

/** The card pays in its currency from now on. The caller passes the messages to `sendAll` after the commit. */
export async function useByDefault(
  inTransaction: Transaction,
  holder: CardHolder,
  { cardId, currency }: { cardId: number; currency: string },
  requestId: string,
): Promise<OutboxRow[]> {
  const { merchantId, accountId } = holder;
  // A step of a run locks its subscription before the default card, so this transaction does too.
  const queued = await offerCard(inTransaction, holder, { id: cardId, currency }, requestId);
  await writeDefault({ merchantId, accountId, currency, cardId }, inTransaction);
  return queued;
}

/** The subscription uses the method that its payer has agreed to, unless the method no longer fits the plan. */
async function useAgreed(
  inTransaction: Transaction,
  setup: CardSetup,
  id: number,
  requestId: string,
): Promise<OutboxRow[]> {
  const { merchantId, cardId, method } = setup;
  const where = { id, merchantId, state: [...liveStates] };
  const row = await Subscription.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
  if (!row || (await findPlanMismatch(row, method, inTransaction)) !== undefined) return [];
  return offerTo(inTransaction, [row], { holder: setup, cardId, requestId });
}

export async function sendAll(queued: OutboxRow[]): Promise<void> {
  for (const one of queued) await sendNow(one);
}
