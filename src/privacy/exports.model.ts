import { QueryTypes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';

/** One category of an export. `isOne`: one object instead of a list. */
export interface Category {
  name: string;
  isOne: boolean;
  /** The rows in pages. */
  pages: AsyncIterable<Record<string, unknown>[]>;
}

const pageSize = 500;
const cursorName = 'exported';

const owned = (table: string, columns: string, order = 'id') =>
  `SELECT ${columns} FROM ${table} WHERE account_id = :account ORDER BY ${order}`;

const chargeTaxes = `SELECT c.trx_token, t.net_minor, t.tax_minor, t.gross_minor, t.treatment, t.country, t.rate_milli, t.evidence
  FROM charge_taxes t JOIN charges c ON c.id = t.charge_id WHERE c.account_id = :account ORDER BY c.id`;

const invoices = `SELECT v.number, v.kind, v.issued_at, v.gross_minor, v.currency, b.name, b.email, b.address_line, b.postal_code,
    b.city, b.region, b.country, b.tax_number, b.tax_number_entry, b.paid_with, b.last_four
  FROM invoices v JOIN charges c ON c.id = v.charge_id LEFT JOIN invoice_buyers b ON b.invoice_id = v.id
  WHERE c.account_id = :account ORDER BY v.id`;

const payments = `SELECT c.id, c.trx_token, s.token AS subscription_id, p.item_id, p.referrer, p.ip_address,
    p.receiver_email, c.cycle, c.attempt, c.amount_minor, c.refunded_minor, c.currency, c.status, c.decline_message,
    c.settled_at, c.created_at
  FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
  WHERE c.account_id = :account ORDER BY c.id`;

/** Merchants keep consents under this key of the metadata, as a JSON text. */
const consents = `SELECT coalesce(metadata->>'consents', '[]') AS consents FROM accounts WHERE id = :account`;

const registerFields = `SELECT f.name, f.label, a.metadata->>f.name AS value FROM accounts a
  JOIN register_fields f ON f.merchant_id = a.merchant_id WHERE a.id = :account AND a.metadata ? f.name ORDER BY f.id`;

/** A gift belongs to its receiver from its delivery date on, if the receiver has verified the address. */
const giftsReceived = `SELECT g.receiver_email, g.item_id, g.state, g.deliver_on, g.redeemed_at, g.bought_at
  FROM gift_vouchers g JOIN accounts a ON a.id = :account AND a.merchant_id = g.merchant_id
  WHERE g.redeemed_by = a.id OR (g.receiver_email_normalized = a.email_normalized AND a.activated_at IS NOT NULL
    AND g.state <> 'refunded' AND (g.deliver_on IS NULL OR g.deliver_on <= merchant_now(g.merchant_id)))
  ORDER BY g.id`;

/** The events that were sent to the account's listeners and to webhooks and are still kept, without item content. */
const events = `SELECT type, resource #- '{item,content}' AS resource, created_at FROM events
  WHERE (merchant_id, account_id) = (SELECT merchant_id, id FROM accounts WHERE id = :account) ORDER BY sequence`;

/** The actions of the merchant's staff on the account, and the account's own actions. */
const audit = `SELECT l.action, l.object_type, l.object_id, l.address, l.created_at FROM audit_log l
  JOIN accounts a ON a.id = :account AND a.merchant_id = l.merchant_id
  WHERE l.actor_account_id = a.id OR (l.object_type = 'account' AND l.object_id = a.id::text) ORDER BY l.sequence`;

/**
 * All stored data of an account, except hashes and tokens. Every table with personal data must be listed here and in
 * `erasures/model`.
 */
const queries: Record<string, string> = {
  account: `SELECT id, uuid, email, full_name, metadata, referrer, date_of_birth, language, social_apps_metadata, is_active,
    activated_at, created_at, updated_at FROM accounts WHERE id = :account`,
  consents,
  register_fields: registerFields,
  logins: owned(
    'sessions',
    `id, client_id, grant_type, actor_uuid, device_type, device_os, device_model, country, city, created_at, last_used_at,
      expires_at, revoked_at`,
    'created_at',
  ),
  passkeys: owned('passkeys', 'name, transports, is_backed_up, created_at, last_used_at', 'created_at'),
  email_changes: owned('email_changes', 'email, former_email, created_at, confirmed_at, ended_at'),
  social_identities: owned('social_identities', 'provider, subject, created_at', 'created_at'),
  saved_filters: owned('saved_filters', 'list, name, query, created_at'),
  company_identities: owned('company_identities', 'issuer, subject, created_at', 'created_at'),
  external_accounts: owned('external_accounts', 'integration, nickname, item_id, created_at, updated_at'),
  billing_details: owned(
    'billing_details',
    `name, address_line, postal_code, city, region, country, tax_number, tax_number_confirmed_at, tax_number_confirmation,
     tax_number_entry, removed_tax_number, tax_number_removed_at, updated_at`,
    'account_id',
  ),
  cards: owned(
    'cards',
    'brand, last_four, holder_name, expiry_month, expiry_year, country, mandate_reference, created_at',
  ),
  subscriptions: owned(
    'subscriptions',
    `token AS subscription_id, item_id, access_fee_id, state, price_minor, currency, voucher_code, current_period_start,
     current_period_end, trial_end, canceled_at, cancel_reason, ended_at, failure_message, referrer, ip_address, created_at`,
  ),
  cancel_offers: owned('cancel_offer_presentations', 'item_id, reason, state, shown_at, decided_at'),
  payments,
  charge_taxes: chargeTaxes,
  invoices,
  refunds: owned('refunds', 'token, charge_id, amount_minor, currency, state, settled_at, created_at'),
  balances: owned('customer_balances', 'currency, balance_minor, updated_at', 'currency'),
  balance_movements: owned('balance_movements', 'currency, amount_minor, reason, note, created_at'),
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
  vouchers_used: owned('voucher_uses', 'code, discount, discount_minor, item_id, state, created_at'),
  gifts_bought: `SELECT receiver_email, item_id, amount_minor, currency, state, bought_at FROM gift_vouchers
    WHERE buyer_account_id = :account ORDER BY id`,
  gifts_received: giftsReceived,
  events,
  audit,
  data_captures: `SELECT d.email, d.full_name, d.company, d.created_at FROM data_captures d
    JOIN accounts a USING (merchant_id, email_normalized) WHERE a.id = :account`,
  profiles: owned('profiles', 'id, name, avatar_url, is_adult, created_at, updated_at'),
  favorites: owned('media_favorites', 'media_id, profile_id, created_at', 'position'),
  watch_history: owned('media_watches', 'media_id, profile_id, progress, created_at, updated_at', 'position'),
};

const single = ['account', 'consents'];

/** Reads the categories one after another in pages, never a whole table at once. */
export function* readCategories(inTransaction: Transaction, account: number): Generator<Category> {
  for (const [name, query] of Object.entries(queries))
    yield { name, isOne: single.includes(name), pages: readPages(inTransaction, query, account) };
}

async function* readPages(inTransaction: Transaction, query: string, account: number) {
  const run = (text: string) =>
    sequelize.query<Record<string, unknown>>(text, {
      // Replaced instead of bound, because a cursor takes no bound parameters.
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
