import {
  bigint,
  boolean,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Period } from '../../items/accessTypes.model';

export type PurchaseState = 'pending' | 'active' | 'grace' | 'on_hold' | 'paused' | 'expired' | 'revoked';
export type Store = 'apple' | 'google-play' | 'amazon' | 'roku';

/** A purchase as its store last reported it. Times are the store's, except those of the checks. */
export class StorePurchaseRow extends modelOf({
  id: serial(),
  token: text(),
  merchantId: integer(),
  accountId: integer(),
  itemId: integer(),
  accessFeeId: integer(),
  store: text<Store>(),
  environment: text<'production' | 'sandbox'>(),
  originalId: text(),
  transactionId: text(),
  productId: text(),
  /** A fee is mapped to the product. A purchase whose product the store changed to an unmapped one gives no access. */
  isMapped: defaulted(boolean()),
  nextProductId: nullable(text()),
  storeUserId: nullable(text()),
  lookUpId: nullable(text()),
  kind: text<'subscription' | 'one_time'>(),
  state: text<PurchaseState>(),
  isTrial: boolean(),
  autoRenew: boolean(),
  amountMinor: nullable(bigint()),
  currency: nullable(char(3)),
  countryIso: nullable(char(2)),
  purchasedAt: time(),
  periodStartsAt: nullable(time()),
  expiresAt: nullable(time()),
  graceEndsAt: nullable(time()),
  resumesAt: nullable(time()),
  revokedAt: nullable(time()),
  /** When another purchase replaced this one. */
  replacedAt: nullable(time()),
  asOf: time(),
  accessSourceId: defaulted(integer()),
  accessEndsAt: nullable(time()),
  /** The last published event says that access is open. */
  isOpen: defaulted(boolean()),
  /** The purchase counts in reports. A sandbox purchase in production does not. */
  countsMoney: defaulted(boolean()),
  needsAcknowledgement: defaulted(boolean()),
  acknowledgedAt: nullable(time()),
  /** The merchant's time. */
  nextLookAt: nullable(time()),
  /** The number of recorded changes. */
  sequence: defaulted(integer()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
StorePurchaseRow.init(StorePurchaseRow.columns, { sequelize, tableName: 'store_purchases' });

const insertStatement = statement<{ id: number }>(
  'store_purchase_insert',
  `INSERT INTO store_purchases (token, merchant_id, account_id, item_id, access_fee_id, store, environment, original_id,
     transaction_id, product_id, store_user_id, kind, state, is_trial, auto_renew, purchased_at, as_of, counts_money)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'pending', $13, $14, $15, $16, $17)
   ON CONFLICT ON CONSTRAINT store_purchases_original DO NOTHING RETURNING id`,
);

/** Undefined if the purchase is claimed already. Waits for a concurrent claim to end. */
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

/** The replaced purchase, by its id or by the id of one of its payments. */
export async function findReplaced(inTransaction: Transaction, store: Store, merchantId: number, id: string) {
  const [row] = await replacedStatement([store, merchantId, id], inTransaction);
  return row?.id;
}

const feeStatement = statement<{ feeId: number }>(
  'store_purchase_fee_of',
  `SELECT access_fee_id AS "feeId" FROM store_purchases WHERE merchant_id = $1 AND store = $2 AND original_id = $3`,
);

/** The fee of a purchase that an account of the merchant has claimed. */
export async function findFeeOfPurchase(merchantId: number, store: Store, originalId: string) {
  const [row] = await feeStatement([merchantId, store, originalId]);
  return row?.feeId;
}

const nextSourceStatement = statement<{ id: number }>(
  'store_access_source',
  `SELECT nextval('access_source_ids')::int AS id`,
);

/** A new source of access, for another item or another account: each source has one row of access. */
export async function nextAccessSource(inTransaction: Transaction): Promise<number> {
  const [row] = await nextSourceStatement([], inTransaction);
  if (!row) throw new Error('the sequence returned no value');
  return row.id;
}

const changeStatement = statement(
  'store_purchase_happened',
  `INSERT INTO store_purchase_events (merchant_id, store_purchase_id, sequence, what, from_state, to_state, as_of)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function recordChange(
  inTransaction: Transaction,
  row: StorePurchaseRow,
  change: { sequence: number; what: string; fromState: PurchaseState | null },
): Promise<void> {
  const { merchantId, id, state, asOf } = row;
  const { sequence, what, fromState } = change;
  await changeStatement([merchantId, id, sequence, what, fromState, state, asOf], inTransaction);
}

const payStatement = statement(
  'store_payment_write',
  `INSERT INTO store_payments (merchant_id, account_id, store_purchase_id, item_id, access_fee_id, transaction_id,
     is_trial, amount_minor, currency, paid_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (store_purchase_id, transaction_id) DO UPDATE SET refunded_at = CASE WHEN EXISTS (
     SELECT FROM store_refunds r WHERE r.merchant_id = $1 AND r.store = $11 AND r.transaction_id = $6 AND NOT r.is_reversed)
     THEN store_payments.refunded_at END`,
);

/** Writes a payment that counts. A reversed refund counts as a payment again; a known refund stays. */
export async function writePayment(inTransaction: Transaction, row: StorePurchaseRow, paidAt: Date): Promise<void> {
  const { merchantId, accountId, id, itemId, accessFeeId, transactionId, isTrial, amountMinor, currency } = row;
  const values = [merchantId, accountId, id, itemId, accessFeeId, transactionId, isTrial, amountMinor, currency];
  await payStatement([...values, paidAt, row.store], inTransaction);
}

const refundStatement = statement(
  'store_payment_refund',
  `UPDATE store_payments SET refunded_at = coalesce(refunded_at, $3)
   WHERE store_purchase_id = $1 AND transaction_id = $2`,
);

export async function refundPayment(inTransaction: Transaction, row: StorePurchaseRow, at: Date): Promise<void> {
  await refundStatement([row.id, row.transactionId, at], inTransaction);
}

/** The facts that a purchase's events need beyond its row, and whether its account is erased. */
export interface PurchaseFacts {
  accountUuid: string;
  merchantUuid: string;
  email: string;
  isErased: boolean;
  description: string;
  previewTitle: string;
  quantity: number;
  period: Period;
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

/** The account of the merchant whose uuid the app passed to its store. */
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

/** The merchant's purchases that are still checked. */
export function listLiving(merchantId: number, inTransaction: Transaction) {
  return livingStatement([merchantId], inTransaction);
}
