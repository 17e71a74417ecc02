import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** What may be kept of a card: the provider's token and what a person recognises it by. */
export class Card extends Model<InferAttributes<Card>, InferCreationAttributes<Card>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  declare provider: string;
  declare token: string;
  declare lastFour: string;
  declare brand: string;
  declare holderName: string;
  declare expiryMonth: number;
  declare expiryYear: number;
  declare fingerprint: string;
}

Card.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    provider: DataTypes.TEXT,
    token: DataTypes.TEXT,
    lastFour: DataTypes.CHAR(4),
    brand: DataTypes.TEXT,
    holderName: DataTypes.TEXT,
    expiryMonth: DataTypes.INTEGER,
    expiryYear: DataTypes.INTEGER,
    fingerprint: DataTypes.TEXT,
  },
  { sequelize, tableName: 'cards' },
);

type NewCard = Pick<
  InferAttributes<Card>,
  | 'merchantId'
  | 'accountId'
  | 'provider'
  | 'token'
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
     fingerprint)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
);

export async function insertCard(inTransaction: Transaction, card: NewCard): Promise<number> {
  const { merchantId, accountId, provider, token, lastFour, brand, holderName, expiryMonth, expiryYear } = card;
  const known = [merchantId, accountId, provider, token, lastFour, brand, holderName, expiryMonth, expiryYear];
  const [written] = await insertStatement([...known, card.fingerprint], inTransaction);
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

// A card that was declined, and has never paid, pays for nothing that it is not typed for.
const defaultStatement = statement<{ id: number }>(
  'card_default',
  `SELECT c.id FROM cards c LEFT JOIN default_cards d ON d.card_id = c.id AND d.currency = $3
   WHERE c.account_id = $1 AND c.provider = $2 AND (d.card_id IS NOT NULL
     OR NOT EXISTS (SELECT FROM charges o WHERE o.card_id = c.id AND o.status = 'declined')
     OR EXISTS (SELECT FROM charges o WHERE o.account_id = c.account_id AND o.status = 'paid' AND o.card_id = c.id))
   ORDER BY d.card_id IS NULL, c.id DESC LIMIT 1`,
);

export async function findDefault(accountId: number, provider: string, currency: string) {
  const [card] = await defaultStatement([accountId, provider, currency]);
  return card;
}

const newestStatement = statement<{ token: string }>(
  'card_newest',
  'SELECT token FROM cards WHERE account_id = $1 AND provider = $2 ORDER BY id DESC LIMIT 1',
);

/** By any of the account's cards its provider knows the customer. */
export async function findNewestToken(accountId: number, provider: string): Promise<string | undefined> {
  const [card] = await newestStatement([accountId, provider]);
  return card?.token;
}

export interface StoredCard {
  id: number;
  accountId: number;
  lastFour: string;
  brand: string;
  holderName: string;
  expiryMonth: number;
  expiryYear: number;
  /** Where it is the default. */
  currency: string;
}

const storedColumns = `c.id, c.account_id AS "accountId", c.last_four AS "lastFour", c.brand, c.holder_name AS "holderName",
  c.expiry_month AS "expiryMonth", c.expiry_year AS "expiryYear", coalesce(d.currency, '') AS currency`;

const defaultsStatement = statement<StoredCard>(
  'card_defaults',
  `SELECT ${storedColumns} FROM default_cards d JOIN cards c ON c.id = d.card_id
   WHERE d.account_id = $1 AND c.provider = $2 ORDER BY d.currency`,
);
const cardsStatement = statement<StoredCard>(
  'card_list',
  `SELECT DISTINCT ON (c.fingerprint) ${storedColumns} FROM cards c LEFT JOIN default_cards d ON d.card_id = c.id
   WHERE c.account_id = $1 AND c.provider = $2 ORDER BY c.fingerprint, d.card_id IS NULL, c.id DESC`,
);

export const listDefaults = (accountId: number, provider: string) => defaultsStatement([accountId, provider]);

/** Each card once, however often it was typed. */
export const listCards = (accountId: number, provider: string) => cardsStatement([accountId, provider]);
