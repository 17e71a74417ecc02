import { type Attributes } from 'sequelize';
import { boolean, defaulted, integer, modelOf, nullable, serial, text } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute, statement, statementApart } from '../adapters/postgres/statement';

export type StoredMethod =
  'card' | 'link' | 'google_pay' | 'apple_pay' | 'direct_debit' | 'ideal' | 'bancontact' | 'paypal';

/** The stored part of a card: the provider's token, and the fields by which a person recognises the card. */
export class Card extends modelOf({
  id: serial(),
  /** A mandate for direct debits is a row too, and so is a payment on a page of a bank. They have no expiry date. */
  method: defaulted(text<StoredMethod>()),
  merchantId: integer(),
  accountId: integer(),
  provider: text(),
  token: text(),
  isSingleUse: defaulted(boolean()),
  lastFour: text(),
  brand: text(),
  holderName: text(),
  expiryMonth: nullable(integer()),
  expiryYear: nullable(integer()),
  fingerprint: text(),
}) {}
Card.init(Card.columns, { sequelize, tableName: 'cards' });

type NewCard = Pick<
  Attributes<Card>,
  | 'method'
  | 'merchantId'
  | 'accountId'
  | 'provider'
  | 'token'
  | 'isSingleUse'
  | 'lastFour'
  | 'brand'
  | 'holderName'
  | 'expiryMonth'
  | 'expiryYear'
  | 'fingerprint'
>;

const insertStatement = statement<{ id: number }>(
  'card_insert',
  `INSERT INTO cards (merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month, expiry_year,
     fingerprint, is_single_use, method)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id`,
);

export async function insertCard(inTransaction: Transaction, card: NewCard): Promise<number> {
  const { merchantId, accountId, provider, token, lastFour, brand, holderName, expiryMonth, expiryYear } = card;
  const known = [merchantId, accountId, provider, token, lastFour, brand, holderName, expiryMonth, expiryYear];
  const [written] = await insertStatement([...known, card.fingerprint, card.isSingleUse, card.method], inTransaction);
  if (!written) throw new Error('a card was not written');
  return written.id;
}

const setStatement = statement(
  'card_set_default',
  `INSERT INTO default_cards (merchant_id, account_id, currency, card_id) VALUES ($1, $2, $3, $4)
   ON CONFLICT (account_id, currency) DO UPDATE SET card_id = excluded.card_id, updated_at = now()`,
);

export async function writeDefault(
  card: { merchantId: number; accountId: number; currency: string; cardId: number },
  inTransaction: Transaction,
): Promise<void> {
  await setStatement([card.merchantId, card.accountId, card.currency, card.cardId], inTransaction);
}

// A card that was declined and has never paid is not used as a default. Neither is a card with a token for single use
// that has not paid yet.
const defaultStatement = statement<{ id: number; token: string; method: 'card' | 'link' }>(
  'card_default',
  `SELECT c.id, c.token, c.method FROM cards c LEFT JOIN default_cards d ON d.card_id = c.id AND d.currency = $3
   WHERE c.account_id = $1 AND c.provider = $2 AND c.method IN ('card', 'link') AND NOT c.is_single_use AND (d.card_id IS NOT NULL
     OR NOT EXISTS (SELECT FROM charges o WHERE o.card_id = c.id AND o.status = 'declined')
     OR EXISTS (SELECT FROM charges o WHERE o.account_id = c.account_id AND o.status = 'paid' AND o.card_id = c.id))
   ORDER BY d.card_id IS NULL, c.id DESC LIMIT 1`,
);

export async function findDefault(accountId: number, provider: string, currency: string) {
  const [card] = await defaultStatement([accountId, provider, currency]);
  return card;
}

// Committed separately from the request: the customer exists at the provider even if the purchase fails.
const customerStatement = statementApart<{ reference: string }>(
  'provider_customer',
  'SELECT reference FROM provider_customers WHERE account_id = $1 AND provider = $2',
);

/** The provider's id of the account's customer. */
export async function findCustomer(accountId: number, provider: string): Promise<string | undefined> {
  const [customer] = await customerStatement([accountId, provider]);
  return customer?.reference;
}

const keepCustomerStatement = statementApart<{ reference: string }>(
  'provider_customer_keep',
  `INSERT INTO provider_customers AS kept (account_id, provider, reference) VALUES ($1, $2, $3)
   ON CONFLICT (account_id, provider) DO UPDATE SET reference = kept.reference RETURNING reference`,
);

/** Returns the stored id, because another request may have stored an id first. */
export async function keepCustomer(accountId: number, provider: string, reference: string): Promise<string> {
  const [kept] = await keepCustomerStatement([accountId, provider, reference]);
  if (!kept) throw new Error('a customer was not written');
  return kept.reference;
}

/** The fields of a card that its bank has replaced. `merchantId`: only a card of this merchant. */
interface UpdatedCard {
  provider: string;
  token: string;
  merchantId: number | undefined;
  lastFour: string;
  brand: string;
  expiryMonth: number;
  expiryYear: number;
  fingerprint: string;
}

/** Returns the updated cards. There may be several, because a payer can enter the same card twice. */
export function writeUpdatedCard(
  inTransaction: Transaction,
  card: UpdatedCard,
): Promise<{ id: number; merchantId: number }[]> {
  const { provider, token, merchantId, lastFour, brand, expiryMonth, expiryYear, fingerprint } = card;
  return execute<{ id: number; merchantId: number }>(
    inTransaction,
    `UPDATE cards SET last_four = $4, brand = $5, expiry_month = $6, expiry_year = $7, fingerprint = $8,
       replaced_at = now()
     WHERE provider = $1 AND token = $2 AND merchant_id = coalesce($3, merchant_id)
     RETURNING id, merchant_id AS "merchantId"`,
    [provider, token, merchantId ?? null, lastFour, brand, expiryMonth, expiryYear, fingerprint],
  );
}

/** Locks the overdue subscriptions with a card of the provider, before the card is written. */
export async function lockOverdue(
  inTransaction: Transaction,
  { provider, token, merchantId }: Pick<UpdatedCard, 'provider' | 'token' | 'merchantId'>,
): Promise<number[]> {
  const rows = await execute<{ id: number }>(
    inTransaction,
    `SELECT s.id FROM subscriptions s JOIN cards c ON c.id = s.card_id
     WHERE c.provider = $1 AND c.token = $2 AND c.merchant_id = coalesce($3, c.merchant_id)
       AND s.state IN ('past_due', 'on_hold')
     ORDER BY s.id FOR UPDATE OF s`,
    [provider, token, merchantId ?? null],
  );
  return rows.map(({ id }) => id);
}

export interface StoredCard {
  id: number;
  accountId: number;
  lastFour: string;
  brand: string;
  holderName: string;
  expiryMonth: number | null;
  expiryYear: number | null;
  /** The currency in which the card is the default. */
  currency: string;
}

const storedColumns = `c.id, c.account_id AS "accountId", c.last_four AS "lastFour", c.brand, c.holder_name AS "holderName",
  c.expiry_month AS "expiryMonth", c.expiry_year AS "expiryYear", coalesce(d.currency, '') AS currency`;

const defaultsStatement = statement<StoredCard>(
  'card_defaults',
  `SELECT ${storedColumns} FROM default_cards d JOIN cards c ON c.id = d.card_id
   WHERE d.account_id = $1 AND c.provider = $2 AND c.method IN ('card', 'link') ORDER BY d.currency`,
);
const cardsStatement = statement<StoredCard>(
  'card_list',
  `SELECT DISTINCT ON (c.fingerprint) ${storedColumns} FROM cards c LEFT JOIN default_cards d ON d.card_id = c.id
   WHERE c.account_id = $1 AND c.provider = $2 AND c.method IN ('card', 'link') AND NOT c.is_single_use
   ORDER BY c.fingerprint, d.card_id IS NULL, c.id DESC`,
);

export const listDefaults = (accountId: number, provider: string) => defaultsStatement([accountId, provider]);

/** Lists each card once, even if it was entered several times. */
export const listCards = (accountId: number, provider: string) => cardsStatement([accountId, provider]);
