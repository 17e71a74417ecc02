import { allowsMethod } from '../accounts/merchants/followers';
import { mayUseSavedCard, rememberTypedCard } from '../accounts/tokens/devices';
import { now } from '../adapters/clock';
import {
  MisconfiguredProvider,
  type CardOwner,
  type CardProvider,
  type CardToken,
  type ProviderFault,
} from '../adapters/cardProviders/provider';
import { sendNow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { listStoreMethods } from '../stores/stores';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { isCurrency } from '../billing/money';
import { offerCard } from './changes/changes';
import { reportFault } from './provider/providerFaults';
import { getProvider, getProviderOf, type ProvidedObject } from './provider/providers';
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
async function tokeniseCard(provider: CardProvider, input: CardInput, owner: CardOwner): Promise<CardToken> {
  const { exp_year: expiryYear, exp_month: expiryMonth } = input;
  if (Date.UTC(expiryYear, expiryMonth) <= now().getTime())
    throw new AppError('invalid_input', { errors: { exp_year: 'The exp_year must not be in the past.' } });
  return provider.tokenise(
    { number: input.number, holderName: input.card_name, expiryMonth, expiryYear, securityCode: input.cvv },
    owner,
  );
}

/** The card of a purchase: the card fields, or the token of the provider's form, or nothing. */
type MaybeCard = { [Field in keyof CardInput]?: CardInput[Field] | undefined } & { payment_token?: string | undefined };

/** A card that pays: its account, its token there, and `save`, which returns its id inside the transaction. */
export interface PayingCard {
  provider: string;
  token: string;
  save: (inTransaction: Transaction) => Promise<number>;
}

/** The card of the request, or the default card. A new card is tokenised here, outside the transaction. */
export async function readCard(
  caller: Caller,
  input: MaybeCard,
  currency: string,
  request: RequestFacts,
): Promise<PayingCard> {
  const card = await findPayingCard(caller, input, currency, request);
  if (card) return card;
  throw missingCard(await getProvider(caller.merchantId));
}

/** Names the field that the provider accepts. */
export function missingCard({ paymentForm }: CardProvider): AppError {
  const field = paymentForm ? 'payment_token' : 'number';
  return new AppError('missing_parameter', { errors: { [field]: `The ${field} must not be empty.` } });
}

/** The same for a purchase that may be free: undefined without a card. */
export async function findPayingCard(
  caller: Caller,
  input: MaybeCard,
  currency: string,
  request: RequestFacts,
): Promise<PayingCard | undefined> {
  const { merchantId, accountId } = caller;
  const provider = await getProvider(merchantId);
  const typed = await readToken(caller, provider, input);
  if (typed) return { ...typed, save: (inTransaction) => saveTyped(inTransaction, caller, typed) };
  const known = await findDefault(accountId, provider.name, currency);
  if (!known) return undefined;
  const save = async (inTransaction: Transaction) => {
    if (!(await mayUseSavedCard(inTransaction, caller, request))) throw new AppError('card_confirmation_required');
    return known.id;
  };
  return { provider: provider.name, token: known.token, save };
}

async function saveTyped(inTransaction: Transaction, caller: Caller, card: NewCard): Promise<number> {
  await rememberTypedCard(inTransaction, caller);
  return saveCard(inTransaction, caller, card);
}

/** Asks the card's bank before a trial begins: a card that the bank refuses gets no trial. */
export async function verifyCard(
  { merchantId }: Caller,
  { provider, token }: Pick<PayingCard, 'provider' | 'token'>,
): Promise<void> {
  const of = { merchantId, provider };
  const result = await (await getProviderOf(of)).verifyCard(token);
  switch (result.outcome) {
    case 'verified':
    case 'requires_action':
      return;
    case 'declined':
      throw new AppError('payment_failed', { explain: result.message, errors: { payment: result.message } });
    case 'misconfigured':
      throw await misconfigured(of, result.fault);
    case 'not_sent':
    case 'unknown':
      throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
  }
}

/** A card at the provider that is not stored yet. */
type NewCard = CardToken & { provider: string };

async function readToken(caller: Caller, provider: CardProvider, input: MaybeCard): Promise<NewCard | undefined> {
  const typed = typedCard(input);
  if (typed === undefined && input.payment_token === undefined) return undefined;
  try {
    const owner = { accountUuid: caller.accountUuid, customer: await getCustomer(caller, provider) };
    const token =
      input.payment_token === undefined
        ? typed && (await tokeniseCard(provider, typed, owner))
        : await provider.adoptToken(input.payment_token, owner);
    return token && { ...token, provider: provider.name };
  } catch (error) {
    if (!(error instanceof MisconfiguredProvider)) throw error;
    throw await misconfigured({ merchantId: caller.merchantId, provider: provider.name }, error.fault);
  }
}

async function misconfigured(of: ProvidedObject, fault: ProviderFault): Promise<AppError> {
  await reportFault(of, fault);
  return new AppError('provider_misconfigured', { explain: notTheCard });
}

const notTheCard =
  'The card could not be used, because the payment service of this shop is not available. It is not your card, and nothing was charged.';

/** The customer at the provider that holds the account's cards; undefined if the provider has no customers. */
async function getCustomer({ accountId, accountUuid }: Caller, provider: CardProvider): Promise<string | undefined> {
  if (!provider.createCustomer) return undefined;
  const known = await findCustomer(accountId, provider.name);
  return known ?? keepCustomer(accountId, provider.name, await provider.createCustomer(accountUuid));
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
function saveCard(inTransaction: Transaction, { merchantId, accountId }: Caller, card: NewCard): Promise<number> {
  return insertCard(inTransaction, { ...card, merchantId, accountId });
}

/** The card of a trial becomes the default before its first charge. */
export const keepAsDefault = writeDefault;

/** The default card of each currency. */
export async function listDefaultCards({ merchantId, accountId }: Caller) {
  const { name } = await getProvider(merchantId);
  const cards = await listDefaults(accountId, name);
  return { cards: Object.fromEntries(cards.map((card) => [card.currency, presentDefaultCard(card)])) };
}

/** Sets the card for a currency, also for running subscriptions. An overdue charge is tried at once. */
export async function setDefaultCard(caller: Caller, input: DefaultCardInput, requestId: string) {
  const { currency_iso: currency, ...card } = input;
  if (!isCurrency(currency))
    throw new AppError('invalid_input', { errors: { currency_iso: 'The currency_iso must be an ISO 4217 code.' } });
  const provider = await getProvider(caller.merchantId);
  const token = await readToken(caller, provider, card);
  if (!token) throw missingCard(provider);
  const promised = await transaction(async (inTransaction) => {
    const id = await saveTyped(inTransaction, caller, token);
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
export async function listPaymentTools({ merchantId, accountId }: Caller, methodId: number) {
  if (methodId !== cardMethodId) throw new AppError('not_found');
  const { name } = await getProvider(merchantId);
  const rows = await listCards(accountId, name);
  return rows.map(presentTool);
}

/** The payment methods of the caller's merchant. */
export async function listPaymentMethods(caller: Caller) {
  const isAllowed = await allowsMethod(caller.merchantId, cardMethodId);
  const own = isAllowed ? [{ id: cardMethodId, method_name: 'Card', is_external: false }] : [];
  return [...own, ...(await listStoreMethods(caller.merchantId))];
}
