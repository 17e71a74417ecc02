import { now } from '../adapters/clock';
import {
  MisconfiguredProvider,
  type CardOwner,
  type CardProvider,
  type CardToken,
  type ProviderFault,
} from '../adapters/cardProviders/provider';
import { type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findWalletName, paymentMethods, type MethodName } from '../kit/paymentMethods';
import { isOffered, notOffered, refuseMethod, refuseNamed } from './methods/methods';
import { reportFault } from './provider/providerFaults';
import { getProvider, type ProvidedObject } from './provider/providers';
import { refuseUnconfirmed, rememberEntry } from './savedCards';
import {
  findCustomer,
  findDefault,
  insertCard,
  keepCustomer,
  listCards,
  listDefaults,
  writeDefault,
} from './cards.model';
import { presentDefaultCard, presentTool } from './cards.presenter';
import { type CardInput } from './cards.schemas';

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
export type MaybeCard = { [Field in keyof CardInput]?: CardInput[Field] | undefined } & {
  payment_token?: string | undefined;
};

/**
 * A card that pays: its account, its token there, and `save`, which returns its id inside the transaction. The
 * parameter `token` of `save` replaces a token for single use.
 */
export interface PayingCard {
  provider: string;
  token: string;
  /** Absent for a stored card. */
  fingerprint?: string;
  isSingleUse?: true;
  save: (inTransaction: Transaction, token?: string) => Promise<number>;
}

/** The card of the request, or the default card. A new card is tokenised here, outside the transaction. */
export async function readCard(
  caller: Caller,
  input: PurchaseCard,
  currency: string,
  request: RequestFacts,
): Promise<PayingCard> {
  return (await findPayingCard(caller, input, currency, request)) ?? refuseWithoutCard(caller, currency);
}

/** Throws the reason why no card pays: the merchant takes none, or not the saved one, or the request has none. */
export async function refuseWithoutCard(caller: CardHolder, currency: string): Promise<never> {
  await refuseNamed(caller, 'card');
  const provider = await getProvider(caller.merchantId);
  const known = await findDefault(caller.accountId, provider.name, currency);
  throw known ? notOffered(known.method) : missingCard(provider);
}

/** Names the fields of the pages: the token of the provider's form, or the fields of a card. */
export function missingCard({ paymentForm }: CardProvider): AppError {
  return missing(paymentForm ? ['payment_token'] : typedFields);
}

const typedFields = ['number', 'card_name', 'exp_month', 'exp_year', 'cvv'] as const;

function missing(fields: readonly string[]): AppError {
  const errors = Object.fromEntries(fields.map((name) => [name, `The ${name} must not be empty.`]));
  return new AppError('missing_parameter', { errors });
}

/** A card of a purchase, with the method that the request names. */
type PurchaseCard = MaybeCard & { payment_method?: MethodName | undefined };

/** The method that a purchase names. A card in the request names cards. Undefined: the saved card pays, or nothing is due. */
export const namedMethod = ({ payment_method: name, number, payment_token: token }: PurchaseCard) =>
  name ?? (number !== undefined || token !== undefined ? 'card' : undefined);

/**
 * Like `readCard`, for a purchase that may be free: undefined without a card that the merchant takes. Refuses a card in the
 * request if the merchant takes no cards, and Link likewise.
 */
export async function findPayingCard(
  caller: Caller,
  input: PurchaseCard,
  currency: string,
  request: RequestFacts,
): Promise<PayingCard | undefined> {
  const { merchantId, accountId } = caller;
  const provider = await getProvider(merchantId);
  const typed = await readToken(caller, provider, input);
  if (typed && !isOfWallet(input, typed)) await refuseMethod(caller, typed.method ?? 'card');
  if (typed) return { ...typed, save: (inTransaction, token) => saveTyped(inTransaction, caller, typed, token) };
  const known = await findDefault(accountId, provider.name, currency);
  if (!known || !(await isOffered(caller, known.method))) return undefined;
  const save = async (inTransaction: Transaction) => {
    await refuseUnconfirmed(inTransaction, caller, known.id, request);
    return known.id;
  };
  return { provider: provider.name, token: known.token, save };
}

/** A request that names a wallet has the token of the wallet's card. The name was checked before. */
const isOfWallet = ({ payment_token: token, payment_method: name = 'card' }: PurchaseCard, { method }: NewCard) =>
  token !== undefined && method === undefined && findWalletName(name) !== undefined;

/** The owner of a card, or an actor in the name of the owner. */
export type CardHolder = Pick<Caller, 'merchantId' | 'accountId' | 'actorUuid'>;

/** Somebody who enters a card. A link in a mail has no session. */
export type NewCardHolder = CardHolder & Pick<Caller, 'accountUuid'> & Partial<Pick<Caller, 'sessionId'>>;

/** Saves a card that was entered in this session. `verifiedToken`: its bank has agreed to later charges. */
export async function saveTyped(
  inTransaction: Transaction,
  caller: NewCardHolder,
  card: NewCard,
  verifiedToken?: string,
): Promise<number> {
  const cardId = await saveCard(inTransaction, caller, card, verifiedToken);
  await rememberEntry(inTransaction, caller, cardId, { isVerified: verifiedToken !== undefined });
  return cardId;
}

/** A card at the provider that is not stored yet. */
export type NewCard = CardToken & { provider: string };

export async function readToken(
  caller: NewCardHolder,
  provider: CardProvider,
  input: MaybeCard,
): Promise<NewCard | undefined> {
  const typed = typedCard(input);
  if (typed === undefined && input.payment_token === undefined) return undefined;
  try {
    const owner = { accountUuid: caller.accountUuid, customer: await getCustomer(caller, provider) };
    const token =
      input.payment_token === undefined
        ? typed && (await tokeniseCard(provider, typed, owner))
        : await provider.adoptToken(input.payment_token, owner);
    if (token?.method !== undefined) await refuseMethod(caller, token.method);
    return token && { ...token, provider: provider.name };
  } catch (error) {
    if (!(error instanceof MisconfiguredProvider)) throw error;
    throw await refuseMisconfigured({ merchantId: caller.merchantId, provider: provider.name }, error.fault);
  }
}

/** Reports the fault to the merchant, and returns the error for the payer. */
export async function refuseMisconfigured(of: ProvidedObject, fault: ProviderFault): Promise<AppError> {
  await reportFault(of, fault);
  return new AppError('provider_misconfigured', { explain: notTheCard });
}

const notTheCard =
  'The card could not be used, because the payment service of this shop is not available. It is not your card, and nothing was charged.';

/** The customer at the provider that holds the account's cards; undefined if the provider has no customers. */
export async function getCustomer(
  { accountId, accountUuid }: Pick<Caller, 'accountId' | 'accountUuid'>,
  provider: CardProvider,
): Promise<string | undefined> {
  if (!provider.createCustomer) return undefined;
  const known = await findCustomer(accountId, provider.name);
  return known ?? keepCustomer(accountId, provider.name, await provider.createCustomer(accountUuid));
}

function typedCard(input: MaybeCard): CardInput | undefined {
  const { number, card_name, exp_month, exp_year, cvv } = input;
  if (number === undefined) return undefined;
  if (card_name !== undefined && exp_month !== undefined && exp_year !== undefined && cvv !== undefined)
    return { number, card_name, exp_month, exp_year, cvv };
  throw missing(typedFields.filter((field) => input[field] === undefined));
}

/** Saves a new card. It becomes a default card only after it has paid. */
export function saveCard(
  inTransaction: Transaction,
  { merchantId, accountId }: Pick<Caller, 'merchantId' | 'accountId'>,
  { isSingleUse: isTemporary, method, ...card }: NewCard,
  token = card.token,
): Promise<number> {
  const isSingleUse = isTemporary === true && token === card.token;
  return insertCard(inTransaction, { ...card, method: method ?? 'card', merchantId, accountId, token, isSingleUse });
}

/** The card of a trial becomes the default before its first charge. */
export const keepAsDefault = writeDefault;

/** The default card of each currency. */
export async function listDefaultCards({ merchantId, accountId }: Caller) {
  const { name } = await getProvider(merchantId);
  const cards = await listDefaults(accountId, name);
  return { cards: Object.fromEntries(cards.map((card) => [card.currency, presentDefaultCard(card)])) };
}

/** The stored cards in the form of the oldest clients. */
export async function listPaymentTools({ merchantId, accountId }: Caller, methodId: number) {
  if (methodId !== paymentMethods.card.id) throw new AppError('not_found');
  const { name } = await getProvider(merchantId);
  const rows = await listCards(accountId, name);
  return rows.map(presentTool);
}
