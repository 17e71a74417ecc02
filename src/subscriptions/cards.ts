import { allowsMethod } from '../accounts/merchants/followers';
import { now } from '../adapters/clock';
import { cardProvider } from '../adapters/cardProviders';
import {
  MisconfiguredProvider,
  type CardOwner,
  type CardToken,
  type ProviderFault,
} from '../adapters/cardProviders/provider';
import { sendNow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { listStoreMethods } from '../stores/stores';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { isCurrency } from '../billing/money';
import { offerCard } from './changes/changes';
import { reportFault } from './provider/providerFaults';
import {
  findCustomer,
  findDefault,
  insertCard,
  keepCustomer,
  listCards,
  listDefaults,
  writeDefault,
} from './cards.model';
import { presentDefaultCard, presentTool, presentTypedCard } from './cards.presenter';
import { type CardInput, type DefaultCardInput } from './cards.schemas';

/** The id of the payment method "card", the only one. */
export const cardMethodId = 1;

/** Sends the card to the provider, and returns its token. The card number is not kept. */
async function tokeniseCard(input: CardInput, owner: CardOwner): Promise<CardToken> {
  const { exp_year: expiryYear, exp_month: expiryMonth } = input;
  if (Date.UTC(expiryYear, expiryMonth) <= now().getTime())
    throw new AppError('invalid_input', { errors: { exp_year: 'The exp_year must not be in the past.' } });
  return cardProvider.tokenise(
    { number: input.number, holderName: input.card_name, expiryMonth, expiryYear, securityCode: input.cvv },
    owner,
  );
}

/** The card of a purchase: the card fields, or the token of the provider's form, or nothing. */
type MaybeCard = { [Field in keyof CardInput]?: CardInput[Field] | undefined } & { payment_token?: string | undefined };

/** A card that pays: its token at the provider, and `save`, which returns its id inside the transaction. */
export interface PayingCard {
  token: string;
  save: (inTransaction: Transaction) => Promise<number>;
}

/** The card of the request, or the default card. A new card is tokenised here, outside the transaction. */
export async function readCard(caller: Caller, input: MaybeCard, currency: string): Promise<PayingCard> {
  const card = await findPayingCard(caller, input, currency);
  if (card) return card;
  throw missingCard();
}

/** Names the field that the provider accepts. */
export function missingCard(): AppError {
  const field = cardProvider.paymentForm ? 'payment_token' : 'number';
  return new AppError('missing_parameter', { errors: { [field]: `The ${field} must not be empty.` } });
}

/** The same for a purchase that may be free: undefined without a card. */
export async function findPayingCard(
  caller: Caller,
  input: MaybeCard,
  currency: string,
): Promise<PayingCard | undefined> {
  const typed = await readToken(caller, input);
  if (typed) return { token: typed.token, save: (inTransaction) => saveCard(inTransaction, caller, typed) };
  const known = await findDefaultCard(caller, currency);
  return known && { token: known.token, save: () => Promise.resolve(known.id) };
}

/** Asks the card's bank before a trial begins: a card that the bank refuses gets no trial. */
export async function verifyCard({ merchantId }: Caller, { token }: Pick<PayingCard, 'token'>): Promise<void> {
  const result = await cardProvider.verifyCard(token);
  switch (result.outcome) {
    case 'verified':
    case 'requires_action':
      return;
    case 'declined':
      throw new AppError('payment_failed', { explain: result.message, errors: { payment: result.message } });
    case 'misconfigured':
      throw await misconfigured(merchantId, result.fault);
    case 'not_sent':
    case 'unknown':
      throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
  }
}

async function readToken(caller: Caller, input: MaybeCard): Promise<CardToken | undefined> {
  const typed = typedCard(input);
  if (typed === undefined && input.payment_token === undefined) return undefined;
  try {
    const owner = { accountUuid: caller.accountUuid, customer: await getCustomer(caller) };
    if (input.payment_token !== undefined) return await cardProvider.adoptToken(input.payment_token, owner);
    return typed && (await tokeniseCard(typed, owner));
  } catch (error) {
    if (!(error instanceof MisconfiguredProvider)) throw error;
    throw await misconfigured(caller.merchantId, error.fault);
  }
}

async function misconfigured(merchantId: number, fault: ProviderFault): Promise<AppError> {
  await reportFault(merchantId, fault);
  return new AppError('provider_misconfigured', { explain: notTheCard });
}

const notTheCard =
  'The card could not be used, because the payment service of this shop is not available. It is not your card, and nothing was charged.';

/** The customer at the provider that holds the account's cards; undefined if the provider has no customers. */
async function getCustomer({ accountId, accountUuid }: Caller): Promise<string | undefined> {
  if (!cardProvider.createCustomer) return undefined;
  const known = await findCustomer(accountId, cardProvider.name);
  return known ?? keepCustomer(accountId, cardProvider.name, await cardProvider.createCustomer(accountUuid));
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

/** Saves a new card. It becomes a default card only after it has paid. */
function saveCard(inTransaction: Transaction, { merchantId, accountId }: Caller, token: CardToken): Promise<number> {
  return insertCard(inTransaction, { ...token, merchantId, accountId, provider: cardProvider.name });
}

/** The card of a trial becomes the default before its first charge. */
export const keepAsDefault = writeDefault;

/** The card for a request without one: the last card that paid in the currency, or the last card that was used. */
async function findDefaultCard({ accountId }: Caller, currency: string) {
  return findDefault(accountId, cardProvider.name, currency);
}

/** The default card of each currency. */
export async function listDefaultCards({ accountId }: Caller) {
  const cards = await listDefaults(accountId, cardProvider.name);
  return { cards: Object.fromEntries(cards.map((card) => [card.currency, presentDefaultCard(card)])) };
}

/** Sets the card for a currency, also for running subscriptions. An overdue charge is tried at once. */
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

/** The stored cards in the form of the oldest clients. */
export async function listPaymentTools({ accountId }: Caller, methodId: number) {
  if (methodId !== cardMethodId) throw new AppError('not_found');
  const rows = await listCards(accountId, cardProvider.name);
  return rows.map(presentTool);
}

/** The payment methods of the caller's merchant. */
export async function listPaymentMethods(caller: Caller) {
  const isAllowed = await allowsMethod(caller.merchantId, cardMethodId);
  const own = isAllowed ? [{ id: cardMethodId, method_name: 'Card', is_external: false }] : [];
  return [...own, ...(await listStoreMethods(caller.merchantId))];
}
