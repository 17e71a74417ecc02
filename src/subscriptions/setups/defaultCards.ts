import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { AppError } from '../../kit/errors';
import { isCurrency } from '../../billing/money';
import { missingCard, readToken, saveTyped, type CardHolder, type NewCard, type NewCardHolder } from '../cards';
import { Card } from '../cards.model';
import { presentTypedCard, presentWaitingCard } from '../cards.presenter';
import { type DefaultCardInput } from '../cards.schemas';
import { getProvider } from '../provider/providers';
import { sendAll, settleSetup, useByDefault } from './settling';
import { findSetupOfReference } from './setups.model';
import { declinedCard, pageOf, saveSetup, setUpCard, type WaitingSetup } from './setups';

/**
 * Sets the card for a currency, also for running subscriptions. An overdue charge is retried immediately. If the bank
 * requires an authentication of the card, nothing changes before it. `claim` runs in the transaction that saves the card,
 * and refuses the card by an error.
 */
export async function setDefaultCard(
  caller: NewCardHolder,
  input: DefaultCardInput,
  requestId: string,
  claim?: (inTransaction: Transaction) => Promise<void>,
) {
  const { currency_iso: currency, return_url: returnUrl, ...typed } = input;
  if (!isCurrency(currency))
    throw new AppError('invalid_input', { errors: { currency_iso: 'The currency_iso must be an ISO 4217 code.' } });
  const provider = await getProvider(caller.merchantId);
  const card = await readToken(caller, provider, typed);
  if (!card) throw missingCard(provider);
  const answer = await setUpCard(caller, card, returnUrl);
  if ('waits' in answer) return saveWaiting(caller, { card, currency }, answer.waits);
  const queued = await transaction(async (inTransaction) => {
    await claim?.(inTransaction);
    const cardId = await saveTyped(inTransaction, caller, card, answer.cardToken);
    return useByDefault(inTransaction, caller, { cardId, currency }, requestId);
  });
  await sendAll(queued);
  return presentTypedCard(card);
}

async function saveWaiting(caller: NewCardHolder, of: { card: NewCard; currency: string }, waits: WaitingSetup) {
  const { merchantId, accountId } = caller;
  const action = await transaction(async (inTransaction) => {
    const cardId = await saveTyped(inTransaction, caller, of.card);
    return saveSetup(inTransaction, { merchantId, accountId, cardId, currency: of.currency }, waits);
  });
  return presentWaitingCard(of.card, action);
}

/** Continues after an authentication. */
export async function continueDefaultCard(caller: CardHolder, reference: string, requestId: string) {
  const setup = await findSetupOfReference(reference, caller.merchantId);
  if (setup?.accountId !== caller.accountId || setup.currency === null) throw new AppError('payment_not_found');
  const settled = await settleSetup(setup, requestId);
  if (settled.status === 'declined') throw declinedCard(settled.declineMessage ?? '');
  const card = await Card.findByPk(setup.cardId, { rejectOnEmpty: true });
  if (settled.status === 'verified') return presentTypedCard(card);
  return presentWaitingCard(card, { reference, redirectUrl: pageOf(setup) });
}
