import { type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type CardHolder } from '../cards';
import { writeDefault } from '../cards.model';
import { lockLive, lockLiveIn, offerTo } from '../changes/changes';
import { findPlanMismatch } from '../methods/methods';
import { type Subscription } from '../subscriptions.model';
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
    // A transaction locks subscriptions before their cards, because each step of a run does.
    const rows = status === 'verified' ? await lockPaidBy(setup, inTransaction) : [];
    const isFirst = await writeOutcome(setup.id, outcome, inTransaction);
    return isFirst && status === 'verified' ? use(inTransaction, setup, rows, requestId) : [];
  });
  await sendAll(queued);
  const { reason = null, message = null } = status === 'declined' ? outcome : {};
  return { ...setup, status, declineReason: reason, declineMessage: message };
}

/** Locks the subscriptions that the card or the method pays for from now on. */
async function lockPaidBy(setup: CardSetup, inTransaction: Transaction): Promise<Subscription[]> {
  const { merchantId, currency, changedSubscriptionId } = setup;
  if (currency !== null) return lockLiveIn(currency, setup, inTransaction);
  const row = changedSubscriptionId === null ? null : await lockLive(inTransaction, merchantId, changedSubscriptionId);
  return row ? [row] : [];
}

/** The card or the method pays from now on. A method that no longer fits the plan of its subscription does not. */
async function use(
  inTransaction: Transaction,
  setup: CardSetup,
  rows: readonly Subscription[],
  requestId: string,
): Promise<OutboxRow[]> {
  const { merchantId, accountId, cardId, currency, method } = setup;
  const paid: Subscription[] = [];
  for (const row of rows)
    if (currency !== null || (await findPlanMismatch(row, method, inTransaction)) === undefined) paid.push(row);
  const queued = await offerTo(inTransaction, paid, { holder: setup, cardId, requestId });
  if (currency !== null) await writeDefault({ merchantId, accountId, currency, cardId }, inTransaction);
  return queued;
}

/** The card pays in its currency from now on. The caller passes the messages to `sendAll` after the commit. */
export async function useByDefault(
  inTransaction: Transaction,
  holder: CardHolder,
  { cardId, currency }: { cardId: number; currency: string },
  requestId: string,
): Promise<OutboxRow[]> {
  const { merchantId, accountId } = holder;
  const rows = await lockLiveIn(currency, holder, inTransaction);
  const queued = await offerTo(inTransaction, rows, { holder, cardId, requestId });
  await writeDefault({ merchantId, accountId, currency, cardId }, inTransaction);
  return queued;
}

export async function sendAll(queued: OutboxRow[]): Promise<void> {
  for (const one of queued) await sendNow(one);
}
