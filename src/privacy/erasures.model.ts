import { type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { nobodysDomain } from '../mail/mail.model';

/** A subscription or payment whose workflow has not ended. A revoked subscription can still be restored. */
export interface OpenPurchase {
  kind: 'subscription' | 'payment';
  token: string;
  state: string;
}

const finalStates = ['incomplete_expired', 'canceled', 'expired', 'revoked'];

export function listOpenPurchases(inTransaction: Transaction, accountId: number): Promise<OpenPurchase[]> {
  return execute<OpenPurchase>(
    inTransaction,
    `SELECT 'subscription' AS kind, token, state
     FROM subscriptions WHERE account_id = $1 AND (state <> ALL($2)
       OR (state = 'revoked' AND current_period_end > merchant_now(merchant_id)))
     UNION ALL
     SELECT 'payment', token, state FROM payments WHERE account_id = $1 AND state = 'incomplete'
     ORDER BY kind, token`,
    [accountId, finalStates],
  );
}

/** A record of the account whose workflows encrypt their payloads with the account's key. */
export interface EncryptedRun {
  kind: 'subscription' | 'payment' | 'refund' | 'claim' | 'export';
  token: string;
  /** The last attempt, if there were several runs. */
  attempt: number;
}

export function listEncryptedRuns(inTransaction: Transaction, accountId: number): Promise<EncryptedRun[]> {
  return execute<EncryptedRun>(
    inTransaction,
    `SELECT 'subscription' AS kind, token, 1 AS attempt FROM subscriptions WHERE account_id = $1
     UNION ALL SELECT 'payment', token, 1 FROM payments WHERE account_id = $1
     UNION ALL SELECT 'refund', token, 1 FROM refunds WHERE account_id = $1
     UNION ALL SELECT 'claim', token, attempt FROM external_payments WHERE account_id = $1
     UNION ALL SELECT 'export', token::text, 1 FROM account_operations WHERE account_id = $1 AND kind = 'export'`,
    [accountId],
  );
}

/** Ends all access of the account. Returns the items that were open. */
export async function revokeAllAccesses(inTransaction: Transaction, accountId: number): Promise<number[]> {
  const revoked = await execute<{ itemId: number; wasOpen: boolean }>(
    inTransaction,
    `UPDATE accesses SET revoked_at = now() WHERE account_id = $1 AND revoked_at IS NULL
     RETURNING item_id AS "itemId", expires_at > merchant_now(merchant_id) AS "wasOpen"`,
    [accountId],
  );
  return [...new Set(revoked.filter(({ wasOpen }) => wasOpen).map(({ itemId }) => itemId))];
}

/** The identity by which a card provider knows the account. */
export interface Payer {
  provider: string;
  tokens: string[];
  customer: string | null;
}

/** One for each provider that knows the account. */
export function listPayers(inTransaction: Transaction, accountId: number): Promise<Payer[]> {
  return execute<Payer>(
    inTransaction,
    `SELECT provider, coalesce(array_agg(token) FILTER (WHERE token IS NOT NULL), '{}') AS tokens,
       max(customer) AS customer
     FROM (
       SELECT provider, token, NULL AS customer FROM cards WHERE account_id = $1 AND token <> 'erased:' || id
       UNION ALL SELECT provider, NULL, reference FROM provider_customers WHERE account_id = $1
     ) known GROUP BY provider ORDER BY provider`,
    [accountId],
  );
}

/** The fields of an event that stay: what happened to which item, for which amount, and when. */
const keptOfEvents = [
  ...['code', 'status', 'timestamp', 'message', 'explain', 'reason', 'description', 'previewTitle', 'item', 'item_id'],
  ...['id', 'account_id', 'customer_id', 'access_fee_id', 'subscription_id', 'transaction', 'session_id'],
  ...['merchant_id', 'subscription_token'],
  ...[
    'external_payment_id',
    'amount',
    'attempted_charge_amount',
    'full_amount',
    'formatted_amount',
    'currency_iso',
    'discount_percent',
    'payment_method',
  ],
  ...['created_at', 'starts_at', 'expires_at', 'next_rebill_date', 'current_period_end', 'package_collection'],
];

/** The account with its address, and again with each former address that no other account has now. */
const known = `(SELECT id, merchant_id, uuid, full_name, email, email_normalized, false AS is_former FROM accounts
   UNION ALL SELECT o.id, o.merchant_id, o.uuid, o.full_name, c.former_email, c.former_email_normalized, true
     FROM accounts o JOIN email_changes c ON c.account_id = o.id AND c.confirmed_at IS NOT NULL
     WHERE NOT EXISTS (SELECT FROM accounts n WHERE n.role = 'consumer' AND n.merchant_id = o.merchant_id AND n.id <> o.id
       AND n.email_normalized = c.former_email_normalized)) a`;

const sameAddress = (table: string, column: string) =>
  `${table} t USING ${known} WHERE a.id = $1 AND t.merchant_id = a.merchant_id AND t.${column} = a.email_normalized`;

/**
 * What is deleted or blanked in each table. The account comes last, because other tables are searched for its address.
 * Every table with personal data must be listed; `test/accounts/privacy` finds one that is not. Not listed, and kept
 * for accounting: ids of things, amounts, currencies, times and states.
 */
const forgettings = [
  'DELETE FROM sessions WHERE account_id = $1',
  'DELETE FROM mailed_tokens WHERE account_id = $1',
  'DELETE FROM second_factors WHERE account_id = $1',
  'DELETE FROM recovery_codes WHERE account_id = $1',
  'DELETE FROM passkeys WHERE account_id = $1',
  'DELETE FROM sign_in_challenges WHERE account_id = $1',
  'DELETE FROM device_pairings WHERE account_id = $1',
  `DELETE FROM idempotency_keys WHERE scope = 'account:' || $1`,
  'DELETE FROM social_identities WHERE account_id = $1',
  'DELETE FROM company_identities WHERE account_id = $1',
  // The merchant's people can have saved a search for the person, or a filter by the person's id.
  `DELETE FROM saved_filters f USING ${known} WHERE a.id = $1 AND f.merchant_id = a.merchant_id AND (f.account_id = a.id
     OR strpos(lower(f.query::text || f.name), lower(a.email)) > 0
     OR strpos(lower(f.query::text || f.name), a.email_normalized) > 0
     OR lower(a.full_name) IN (lower(f.query ->> 'search'), lower(f.name))
     OR a.id::text IN (f.query ->> 'account_id', CASE f.query ->> 'object_type' WHEN 'account' THEN f.query ->> 'object_id' END))`,
  'DELETE FROM external_accounts WHERE account_id = $1',
  'DELETE FROM media_favorites WHERE account_id = $1',
  'DELETE FROM media_watches WHERE account_id = $1',
  'DELETE FROM profiles WHERE account_id = $1',
  'DELETE FROM billing_details WHERE account_id = $1',
  `DELETE FROM mails m USING ${known} WHERE a.id = $1
     AND (m.account_id = a.id OR (m.merchant_id = a.merchant_id AND lower(m.recipient) = lower(a.email)
       -- Several accounts can have had the same address one after the other.
       AND (m.account_id IS NULL OR NOT a.is_former)))`,
  `DELETE FROM ${sameAddress('mail_requests', 'email_normalized')}`,
  `DELETE FROM ${sameAddress('data_captures', 'email_normalized')}`,
  // A gift to another person stays redeemable.
  `UPDATE gift_vouchers g SET receiver_email = '', receiver_email_normalized = ''
   FROM ${known} WHERE a.id = $1 AND g.merchant_id = a.merchant_id AND (
     g.receiver_email_normalized = a.email_normalized OR (g.buyer_account_id = a.id AND g.state <> 'bought'))`,
  // Before the cards, like in every transaction that locks both.
  `UPDATE subscriptions SET referrer = '', return_url = NULL, ip_address = '', cancel_reason = '', requests = '[]',
     device = NULL WHERE account_id = $1`,
  `UPDATE cards SET token = 'erased:' || id, last_four = '0000', brand = '', holder_name = '', expiry_month = 1,
     expiry_year = 1970, fingerprint = '', country = NULL, mandate_reference = NULL, browser_hash = NULL WHERE account_id = $1`,
  'DELETE FROM card_setups WHERE account_id = $1',
  'DELETE FROM default_cards WHERE account_id = $1',
  'DELETE FROM provider_customers WHERE account_id = $1',
  `UPDATE payments SET referrer = '', return_url = NULL, ip_address = '', device = NULL,
     receiver_email = CASE WHEN is_gift THEN '' END WHERE account_id = $1`,
  `UPDATE payments p SET receiver_email = '' FROM ${known}
   WHERE a.id = $1 AND p.merchant_id = a.merchant_id AND lower(p.receiver_email) = a.email_normalized`,
  'UPDATE charges SET redirect_url = NULL WHERE account_id = $1',
  // An erased account can neither use a credit nor pay a debt.
  `INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, created_at)
   SELECT merchant_id, account_id, currency, -balance_minor, 'erasure', 'erasure:' || currency, merchant_now(merchant_id)
   FROM customer_balances WHERE account_id = $1 AND balance_minor <> 0 ON CONFLICT (account_id, cause) DO NOTHING`,
  `UPDATE balance_movements SET note = '' WHERE account_id = $1`,
  `UPDATE accesses SET ip_address = '' WHERE account_id = $1`,
  `DELETE FROM store_notifications n USING store_purchases p
   WHERE p.account_id = $1 AND n.store = p.store AND n.original_id = p.original_id`,
  'UPDATE store_purchases SET store_user_id = NULL, is_open = false, next_look_at = NULL WHERE account_id = $1',
  `UPDATE external_payments SET sealed_claim = NULL, state = 'failed', reason = 'account_erased', settled_at = now()
   WHERE account_id = $1 AND state = 'pending'`,
  // A receiver's response can repeat the personal data that it was sent.
  `UPDATE webhook_deliveries d SET response_body = '' FROM ${known}
   WHERE a.id = $1 AND d.merchant_id = a.merchant_id AND d.response_body <> '' AND (d.about_account_id = a.id
     OR strpos(lower(d.response_body), lower(a.email)) > 0 OR strpos(lower(d.response_body), a.email_normalized) > 0
     OR strpos(lower(d.response_body), replace(lower(a.email), '@', '%40')) > 0
     OR strpos(d.response_body, a.uuid::text) > 0)`,
  // The last one, because the others are searched for the former addresses.
  'DELETE FROM email_changes WHERE account_id = $1',
];

const eventsText = `UPDATE events SET resource = (
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(resource) WHERE key = ANY($2))
  WHERE account_id = $1`;

/** Blocks sign-in, and frees the address for a new account. The uuid stays, but no longer identifies a person. */
const accountText = `UPDATE accounts SET email = 'erased-' || id || '@${nobodysDomain}',
    email_normalized = 'erased-' || id || '@${nobodysDomain}', full_name = 'Erased account', password_hash = $2,
    metadata = '{}', social_apps_metadata = '[]', referrer = '', date_of_birth = NULL, language = NULL, is_active = false,
    updated_at = now(), erasing_at = coalesce(erasing_at, now()), erased_at = now()
  WHERE id = $1`;

/** Deletes all personal data of an account. `unusableHash` is the hash of a random password. */
export async function forgetAccount(inTransaction: Transaction, accountId: number, unusableHash: string) {
  for (const text of forgettings) await execute(inTransaction, text, [accountId]);
  await execute(inTransaction, eventsText, [accountId, keptOfEvents]);
  await execute(inTransaction, accountText, [accountId, unusableHash]);
}

/** The uuids of erased accounts. They must be erased again in a restored backup. */
export function listErasedUuids(inTransaction: Transaction): Promise<{ uuid: string }[]> {
  return execute(
    inTransaction,
    `SELECT DISTINCT a.uuid FROM account_operations o JOIN accounts a ON a.id = o.account_id
     WHERE o.kind = 'erasure' ORDER BY a.uuid`,
  );
}
