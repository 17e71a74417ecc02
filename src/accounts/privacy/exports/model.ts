import { QueryTypes } from 'sequelize';
import { sequelize, type Transaction } from '../../../adapters/postgres/connection';

/** What an export tells under one name. `isOne`: one object, not a list. */
export interface Category {
  name: string;
  isOne: boolean;
  /** The rows, some at a time. */
  pages: AsyncIterable<Record<string, unknown>[]>;
}

const pageSize = 500;
const cursorName = 'exported';

const owned = (table: string, columns: string, order = 'id') =>
  `SELECT ${columns} FROM ${table} WHERE account_id = :account ORDER BY ${order}`;

const payments = `SELECT c.id, c.trx_token, s.token AS subscription_id, p.item_id, p.referrer, p.ip_address,
    p.receiver_email, c.cycle, c.attempt, c.amount_minor, c.refunded_minor, c.currency, c.status, c.decline_message,
    c.settled_at, c.created_at
  FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
  WHERE c.account_id = :account ORDER BY c.id`;

/** A merchant keeps what people agree to under this name, as a JSON text (wire: metadata). */
const consents = `SELECT coalesce(metadata->>'consents', '[]') AS consents FROM accounts WHERE id = :account`;

const registerFields = `SELECT f.name, f.label, a.metadata->>f.name AS value FROM accounts a
  JOIN register_fields f ON f.merchant_id = a.merchant_id WHERE a.id = :account AND a.metadata ? f.name ORDER BY f.id`;

/**
 * Everything that is stored of an account, without what only proves who it is: hashes and tokens. A table that holds
 * something of a person is named here and in `erasures/model`.
 */
const queries: Record<string, string> = {
  account: `SELECT id, uuid, email, full_name, metadata, referrer, date_of_birth, social_apps_metadata, is_active,
    activated_at, created_at, updated_at FROM accounts WHERE id = :account`,
  consents,
  register_fields: registerFields,
  logins: owned('sessions', 'id, client_id, grant_type, actor_uuid, created_at, expires_at, revoked_at', 'created_at'),
  social_identities: owned('social_identities', 'provider, subject, created_at', 'created_at'),
  external_accounts: owned('external_accounts', 'integration, nickname, item_id, created_at, updated_at'),
  cards: owned('cards', 'brand, last_four, holder_name, expiry_month, expiry_year, created_at'),
  subscriptions: owned(
    'subscriptions',
    `token AS subscription_id, item_id, access_fee_id, state, price_minor, currency, voucher_code, current_period_start,
     current_period_end, trial_end, canceled_at, cancel_reason, ended_at, failure_message, referrer, ip_address, created_at`,
  ),
  payments,
  refunds: owned('refunds', 'token, charge_id, amount_minor, currency, state, settled_at, created_at'),
  balances: owned('customer_balances', 'currency, balance_minor, updated_at', 'currency'),
  store_purchases: owned(
    'store_purchases',
    `token, store, environment, item_id, access_fee_id, product_id, store_user_id, state, auto_renew, purchased_at,
     expires_at, created_at`,
  ),
  store_payments: owned(
    'store_payments',
    'transaction_id, item_id, access_fee_id, amount_minor, currency, is_trial, paid_at, refunded_at',
  ),
  accesses: owned(
    'accesses',
    'item_id, access_fee_id, source, ip_address, starts_at, expires_at, revoked_at, created_at',
  ),
  vouchers_used: owned('voucher_uses', 'code, discount, item_id, state, created_at'),
  gifts_bought: `SELECT receiver_email, item_id, amount_minor, currency, state, bought_at FROM gift_vouchers
    WHERE buyer_account_id = :account ORDER BY id`,
  data_captures: `SELECT d.email, d.full_name, d.company, d.created_at FROM data_captures d
    JOIN accounts a USING (merchant_id, email_normalized) WHERE a.id = :account`,
  profiles: owned('profiles', 'id, name, avatar_url, is_adult, created_at, updated_at'),
  favorites: owned('media_favorites', 'media_id, profile_id, created_at', 'position'),
  watch_history: owned('media_watches', 'media_id, profile_id, progress, created_at, updated_at', 'position'),
};

const single = ['account', 'consents'];

/** Reads category after category, never a whole table at once. */
export function* readCategories(inTransaction: Transaction, account: number): Generator<Category> {
  for (const [name, query] of Object.entries(queries))
    yield { name, isOne: single.includes(name), pages: readPages(inTransaction, query, account) };
}

async function* readPages(inTransaction: Transaction, query: string, account: number) {
  const run = (text: string) =>
    sequelize.query<Record<string, unknown>>(text, {
      // Not bound: a cursor takes no parameters.
      replacements: { account },
      transaction: inTransaction,
      type: QueryTypes.SELECT,
    });
  await run(`DECLARE ${cursorName} NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    const rows = await run(`FETCH ${pageSize} FROM ${cursorName}`);
    yield rows;
    if (rows.length < pageSize) break;
  }
  await run(`CLOSE ${cursorName}`);
}
