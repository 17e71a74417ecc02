import { allowsMethod } from '../../accounts/followers/service';
import { now } from '../../adapters/clock';
import { cardProvider } from '../../adapters/cardProviders';
import { type CardOwner, type CardToken } from '../../adapters/cardProviders/provider';
import { sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { listStoreMethods } from '../../externalPayments/stores/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { isCurrency } from '../billing/money';
import { offerCard } from '../changes/service';
import { findDefault, findNewestToken, insertCard, listCards, listDefaults, writeDefault } from './model';
import { presentDefaultCard, presentTool, presentTypedCard } from './presenter';
import { type CardInput, type DefaultCardInput } from './schemas';

/** The payment method of cards: the one so far (decisions 6). */
export const cardMethodId = 1;

/** Hands the typed card to the provider; from here on only its token exists. */
async function tokeniseCard(input: CardInput, owner: CardOwner): Promise<CardToken> {
  const { exp_year: expiryYear, exp_month: expiryMonth } = input;
  if (Date.UTC(expiryYear, expiryMonth) <= now().getTime())
    throw new AppError('invalid_input', { errors: { exp_year: 'The exp_year must not be in the past.' } });
  return cardProvider.tokenise(
    { number: input.number, holderName: input.card_name, expiryMonth, expiryYear, securityCode: input.cvv },
    owner,
  );
}

/** The card fields of a purchase: all of them, or the token that the provider's form has made of them, or nothing. */
type MaybeCard = { [Field in keyof CardInput]?: CardInput[Field] | undefined } & { payment_token?: string | undefined };

/**
 * Which card pays: a typed one, which is tokenised here, outside the transaction, or the default one. Answers how to have
 * its id inside the transaction.
 */
export async function readCard(caller: Caller, input: MaybeCard, currency: string) {
  const card = await findPayingCard(caller, input, currency);
  if (card) return card;
  throw missingCard();
}

export function missingCard(): AppError {
  return new AppError('missing_parameter', { errors: { number: 'The number must not be empty.' } });
}

/** The same where there may be nothing to pay: undefined without a card. */
export async function findPayingCard(caller: Caller, input: MaybeCard, currency: string) {
  const token = await readToken(caller, input);
  if (token) return (inTransaction: Transaction) => saveCard(inTransaction, caller, token);
  const known = await findDefaultCard(caller, currency);
  return known && (() => Promise.resolve(known.id));
}

async function readToken(caller: Caller, input: MaybeCard): Promise<CardToken | undefined> {
  const typed = typedCard(input);
  if (typed === undefined && input.payment_token === undefined) return undefined;
  const owner = {
    accountUuid: caller.accountUuid,
    knownToken: cardProvider.keepsCustomers && (await findNewestToken(caller.accountId, cardProvider.name)),
  };
  if (input.payment_token !== undefined) return cardProvider.adoptToken(input.payment_token, owner);
  return typed && tokeniseCard(typed, owner);
}

function typedCard(input: MaybeCard): CardInput | undefined {
  const { number, card_name, exp_month, exp_year, cvv } = input;
  if (number === undefined) return undefined;
  const rest = { card_name, exp_month, exp_year, cvv };
  if (card_name !== undefined && exp_month !== undefined && exp_year !== undefined && cvv !== undefined)
    return { number, card_name, exp_month, exp_year, cvv };
  const absent = Object.entries(rest).filter(([, value]) => value === undefined);
  const errors = Object.fromEntries(absent.map(([name]) => [name, `The ${name} must not be empty.`]));
  throw new AppError('missing_parameter', { errors });
}

/** A card that was typed. It pays when nothing is typed once it has paid: one that is declined never does. */
function saveCard(inTransaction: Transaction, { merchantId, accountId }: Caller, token: CardToken): Promise<number> {
  return insertCard(inTransaction, { ...token, merchantId, accountId, provider: cardProvider.name });
}

/** The card of a trial is the default before its first charge. */
export const keepAsDefault = writeDefault;

/** The card that pays when a request names none: the one that paid last in the currency, or else the one used last. */
async function findDefaultCard({ accountId }: Caller, currency: string): Promise<{ id: number } | undefined> {
  return findDefault(accountId, cardProvider.name, currency);
}

/** The default card of each currency (wire B.8). */
export async function listDefaultCards({ accountId }: Caller) {
  const cards = await listDefaults(accountId, cardProvider.name);
  return { cards: Object.fromEntries(cards.map((card) => [card.currency, presentDefaultCard(card)])) };
}

/** The card for what is still to pay in a currency: of running subscriptions too, and what is overdue is tried at once. */
export async function setDefaultCard(caller: Caller, input: DefaultCardInput, requestId: string) {
  const { currency_iso: currency, ...card } = input;
  if (!isCurrency(currency))
    throw new AppError('invalid_input', { errors: { currency_iso: 'The currency_iso must be an ISO 4217 code.' } });
  const token = await readToken(caller, card);
  if (!token) throw missingCard();
  const promised = await transaction(async (inTransaction) => {
    const id = await saveCard(inTransaction, caller, token);
    await writeDefault(
      { merchantId: caller.merchantId, accountId: caller.accountId, currency, cardId: id },
      inTransaction,
    );
    return offerCard(inTransaction, caller, { id, currency }, requestId);
  });
  for (const queued of promised) await sendNow(queued);
  return presentTypedCard(token);
}

/** The stored cards as the oldest clients read them. */
export async function listPaymentTools({ accountId }: Caller, methodId: number) {
  if (methodId !== cardMethodId) throw new AppError('not_found');
  const rows = await listCards(accountId, cardProvider.name);
  return rows.map(presentTool);
}

/** How one may pay at the caller's merchant. */
export async function listPaymentMethods(caller: Caller) {
  const isAllowed = await allowsMethod(caller.merchantId, cardMethodId);
  const own = isAllowed ? [{ id: cardMethodId, method_name: 'Card', is_external: false }] : [];
  return [...own, ...(await listStoreMethods(caller.merchantId))];
}
