import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

export type PurchaseState = 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';
export type Store = 'apple' | 'google-play' | 'amazon' | 'roku';

/** A purchase as its store told of it last. Instants are the store's, but for those of the looks. */
export class StorePurchaseRow extends Model<
  InferAttributes<StorePurchaseRow>,
  InferCreationAttributes<StorePurchaseRow>
> {
  declare id: CreationOptional<number>;
  declare token: string;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: number;
  declare store: Store;
  declare environment: 'production' | 'sandbox';
  declare originalId: string;
  declare transactionId: string;
  declare productId: string;
  declare nextProductId: CreationOptional<string | null>;
  declare storeUserId: CreationOptional<string | null>;
  declare lookUpId: CreationOptional<string | null>;
  declare kind: 'subscription' | 'one_time';
  declare state: PurchaseState;
  declare isTrial: boolean;
  declare autoRenew: boolean;
  declare amountMinor: CreationOptional<number | null>;
  declare currency: CreationOptional<string | null>;
  declare countryIso: CreationOptional<string | null>;
  declare purchasedAt: Date;
  declare periodStartsAt: CreationOptional<Date | null>;
  declare expiresAt: CreationOptional<Date | null>;
  declare graceEndsAt: CreationOptional<Date | null>;
  declare resumesAt: CreationOptional<Date | null>;
  declare revokedAt: CreationOptional<Date | null>;
  /** Another purchase has taken its place. */
  declare replacedAt: CreationOptional<Date | null>;
  declare asOf: Date;
  declare accessSourceId: CreationOptional<number>;
  declare accessEndsAt: CreationOptional<Date | null>;
  /** Whether the account was told last that it is open. */
  declare isOpen: CreationOptional<boolean>;
  /** It belongs to the reports: no test purchase of a production environment. */
  declare countsMoney: CreationOptional<boolean>;
  declare needsAcknowledgement: CreationOptional<boolean>;
  declare acknowledgedAt: CreationOptional<Date | null>;
  /** In the merchant's time. */
  declare nextLookAt: CreationOptional<Date | null>;
  /** Counts what happened to it. */
  declare sequence: CreationOptional<number>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

StorePurchaseRow.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    store: DataTypes.TEXT,
    environment: DataTypes.TEXT,
    originalId: DataTypes.TEXT,
    transactionId: DataTypes.TEXT,
    productId: DataTypes.TEXT,
    nextProductId: DataTypes.TEXT,
    storeUserId: DataTypes.TEXT,
    lookUpId: DataTypes.TEXT,
    kind: DataTypes.TEXT,
    state: DataTypes.TEXT,
    isTrial: DataTypes.BOOLEAN,
    autoRenew: DataTypes.BOOLEAN,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    countryIso: DataTypes.CHAR(2),
    purchasedAt: DataTypes.DATE,
    periodStartsAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    graceEndsAt: DataTypes.DATE,
    resumesAt: DataTypes.DATE,
    revokedAt: DataTypes.DATE,
    replacedAt: DataTypes.DATE,
    asOf: DataTypes.DATE,
    accessSourceId: DataTypes.INTEGER,
    accessEndsAt: DataTypes.DATE,
    isOpen: DataTypes.BOOLEAN,
    countsMoney: DataTypes.BOOLEAN,
    needsAcknowledgement: DataTypes.BOOLEAN,
    acknowledgedAt: DataTypes.DATE,
    nextLookAt: DataTypes.DATE,
    sequence: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'store_purchases' },
);

const insertStatement = statement<{ id: number }>(
  'store_purchase_insert',
  `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment, original_id,
     transaction_id, product_id, store_user_id, kind, state, is_trial, auto_renew, purchased_at, as_of, counts_money)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'pending', $13, $14, $15, $16, $17)
   ON CONFLICT ON CONSTRAINT store_purchases_original DO NOTHING RETURNING id`,
);

/** Undefined: somebody has claimed it already, or has just won. Waits for who is about to. */
export async function insertPurchase(inTransaction: Transaction, values: unknown[]): Promise<number | undefined> {
  const [row] = await insertStatement(values, inTransaction);
  return row?.id;
}

const replacedStatement = statement<{ id: number }>(
  'store_purchase_replaced',
  `SELECT p.id FROM store_purchases p WHERE p.store = $1 AND p.merchant_id = $2 AND p.replaced_at IS NULL AND (
     p.original_id = $3 OR p.id IN (SELECT store_purchase_id FROM store_payments WHERE transaction_id = $3))
   ORDER BY p.id LIMIT 1`,
);

/** The purchase whose place another takes: named by its own id, or by one of its payments'. */
export async function findReplaced(inTransaction: Transaction, store: Store, merchantId: number, id: string) {
  const [row] = await replacedStatement([store, merchantId, id], inTransaction);
  return row?.id;
}

const nextSourceStatement = statement<{ id: number }>(
  'store_access_source',
  `SELECT nextval('access_source_ids')::int AS id`,
);

/** For an entitlement to another item, or of another account: each source gives one row. */
export async function nextAccessSource(inTransaction: Transaction): Promise<number> {
  const [row] = await nextSourceStatement([], inTransaction);
  if (!row) throw new Error('a sequence gave nothing');
  return row.id;
}

const happenedStatement = statement(
  'store_purchase_happened',
  `INSERT INTO store_purchase_events (merchant_id, store_purchase_id, sequence, what, from_state, to_state, as_of)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function recordHappening(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  happened: { sequence: number; what: string; fromState: PurchaseState | null },
): Promise<void> {
  const { merchantId, id, state, asOf } = row;
  const { sequence, what, fromState } = happened;
  await happenedStatement([merchantId, id, sequence, what, fromState, state, asOf], inTransaction);
}

const payStatement = statement(
  'store_payment_write',
  `INSERT INTO store_payments (merchant_id, account_id, store_purchase_id, item_id, access_fee_id, transaction_id,
     is_trial, amount_minor, currency, paid_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (store_purchase_id, transaction_id) DO UPDATE SET refunded_at = NULL`,
);

/** A payment that counts: one that was given back, and is no more, counts again. */
export async function writePayment(inTransaction: Transaction, row: StorePurchaseRow, paidAt: Date): Promise<void> {
  const { merchantId, accountId, id, itemId, accessFeeId, transactionId, isTrial, amountMinor, currency } = row;
  const values = [merchantId, accountId, id, itemId, accessFeeId, transactionId, isTrial, amountMinor, currency];
  await payStatement([...values, paidAt], inTransaction);
}

const refundStatement = statement(
  'store_payment_refund',
  `UPDATE store_payments SET refunded_at = coalesce(refunded_at, $3)
   WHERE store_purchase_id = $1 AND transaction_id = $2`,
);

export async function refundPayment(inTransaction: Transaction, row: StorePurchaseRow, at: Date): Promise<void> {
  await refundStatement([row.id, row.transactionId, at], inTransaction);
}

/** What the events of a purchase tell beyond its row, and whether its account is still there. */
export interface PurchaseFacts {
  accountUuid: string;
  merchantUuid: string;
  email: string;
  isErased: boolean;
  description: string;
  previewTitle: string;
  quantity: number;
  period: 'hour' | 'day' | 'week' | 'month' | 'year';
  feeMinor: number;
  feeCurrency: string;
}

const factsStatement = statement<PurchaseFacts>(
  'store_purchase_facts',
  `SELECT a.uuid AS "accountUuid", a.merchant_uuid AS "merchantUuid", a.email,
     a.erasing_at IS NOT NULL AS "isErased", f.description, coalesce(m.value, i.title) AS "previewTitle", t.quantity,
     t.period, f.amount_minor AS "feeMinor", f.currency AS "feeCurrency"
   FROM accounts a JOIN access_fees f ON f.id = $2 JOIN access_types t ON t.id = f.access_type_id
   JOIN items i ON i.id = $3 LEFT JOIN item_metadata m ON m.item_id = i.id AND m.name = 'preview_title'
   WHERE a.id = $1`,
);

export async function getFacts(
  inTransaction: Transaction,
  { accountId, accessFeeId, itemId }: Pick<StorePurchaseRow, 'accountId' | 'accessFeeId' | 'itemId'>,
): Promise<PurchaseFacts> {
  const [facts] = await factsStatement([accountId, accessFeeId, itemId], inTransaction);
  if (!facts) throw new Error(`there is no account ${accountId} or no fee ${accessFeeId}`);
  return facts;
}

const accountStatement = statement<{ id: number }>(
  'store_purchase_account',
  'SELECT id FROM accounts WHERE merchant_id = $1 AND uuid = $2 AND erasing_at IS NULL',
);

/** The account that an app told its store of, if it is one of the merchant's. */
export async function findAccountId(inTransaction: Transaction, merchantId: number, uuid: string) {
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(uuid)) return undefined;
  const [row] = await accountStatement([merchantId, uuid], inTransaction);
  return row?.id;
}

const stillThereStatement = statement<{ isThere: boolean }>(
  'store_purchase_owner',
  'SELECT erasing_at IS NULL AS "isThere" FROM accounts WHERE id = $1',
);

export async function isStillThere(inTransaction: Transaction, accountId: number): Promise<boolean> {
  const [row] = await stillThereStatement([accountId], inTransaction);
  return row?.isThere ?? false;
}

const livingStatement = statement<{ id: number; token: string; itemId: number; state: PurchaseState }>(
  'store_purchases_living',
  `SELECT id, token, item_id AS "itemId", state FROM store_purchases
   WHERE merchant_id = $1 AND next_look_at IS NOT NULL ORDER BY id`,
);

/** The purchases of a merchant that are still looked at. */
export function listLiving(merchantId: number, inTransaction: Transaction) {
  return livingStatement([merchantId], inTransaction);
}
