/**
 * Every text column by table: personal or not. A column that is in neither list fails
 * `eraseAccount.canaries`: say here what it holds, and in `src/privacy/{exports,erasures}.model.ts` what becomes of it.
 */

/** How the rows of an account are found in a table, where it is not by `account_id = $1`. `$1`: the account's id. */
const rowsOf: Record<string, string> = {
  accounts: 'id = $1',
  data_captures: 'email_normalized = (SELECT email_normalized FROM accounts WHERE id = $1)',
  gift_vouchers: 'buyer_account_id = $1',
  mail_requests: 'email_normalized = (SELECT email_normalized FROM accounts WHERE id = $1)',
};

export const conditionOf = (table: string) => rowsOf[table] ?? 'account_id = $1';

/** What is personal. `json`: a document that gets a canary among its values. `date`: has no room for one. */
export const personal: Record<string, Record<string, 'text' | 'json' | 'date'>> = {
  accounts: {
    full_name: 'text',
    date_of_birth: 'date',
    metadata: 'json',
    referrer: 'text',
    social_apps_metadata: 'json',
  },
  accesses: { ip_address: 'text' },
  balance_movements: { note: 'text' },
  billing_details: {
    name: 'text',
    address_line: 'text',
    postal_code: 'text',
    city: 'text',
    region: 'text',
    tax_number: 'text',
    tax_number_confirmation: 'text',
    tax_number_entry: 'text',
    removed_tax_number: 'text',
  },
  cards: { holder_name: 'text', brand: 'text', fingerprint: 'text', mandate_reference: 'text' },
  charges: { redirect_url: 'text' },
  company_identities: { issuer: 'text', subject: 'text' },
  data_captures: { full_name: 'text', company: 'text' },
  events: { resource: 'json' },
  external_accounts: { nickname: 'text' },
  gift_vouchers: { receiver_email: 'text', receiver_email_normalized: 'text' },
  mails: { recipient: 'text', subject: 'text', last_error: 'text' },
  media_favorites: { media_id: 'text' },
  media_watches: { media_id: 'text' },
  payments: { device: 'json', referrer: 'text', return_url: 'text', ip_address: 'text', receiver_email: 'text' },
  passkeys: { name: 'text' },
  profiles: { name: 'text', avatar_url: 'text', pin_hash: 'text' },
  saved_filters: { name: 'text', query: 'json' },
  sessions: {
    client_id: 'text',
    device_type: 'text',
    device_os: 'text',
    device_model: 'text',
    country: 'text',
    city: 'text',
  },
  store_purchases: { store_user_id: 'text' },
  social_identities: { subject: 'text', provider: 'text' },
  subscriptions: {
    device: 'json',
    referrer: 'text',
    return_url: 'text',
    ip_address: 'text',
    cancel_reason: 'text',
    requests: 'json',
  },
};

/** Personal too, but found by its own value. The test uses an address that is a canary. */
export const addresses: Record<string, readonly string[]> = {
  accounts: ['email', 'email_normalized'],
  data_captures: ['email', 'email_normalized'],
  email_changes: ['email', 'former_email', 'former_email_normalized'],
  mail_requests: ['email_normalized'],
};

/** Proofs of identity, deleted with their row. The password hash of the account is replaced. */
export const proofs: Record<string, readonly string[]> = {
  accounts: ['password_hash'],
  device_pairings: ['device_code_hash', 'user_code_hash'],
  email_changes: ['confirm_hash', 'stop_hash', 'undo_hash'],
  external_payments: ['sealed_claim', 'receipt_hash'],
  mail_attachment_parts: ['sealed_text'],
  mailed_tokens: ['token_hash'],
  mails: ['sealed_values'],
  passkeys: ['credential_id', 'public_key'],
  recovery_codes: ['code_hash'],
  refresh_tokens: ['token_hash', 'sealed_successor'],
  second_factors: ['sealed_secret'],
  sessions: ['browser_hash'],
  cards: ['token', 'last_four', 'browser_hash'],
  pin_codes: ['code_hash'],
  sign_in_challenges: ['token_hash'],
};

/** Not personal: what a merchant sells and sets, states, codes, names of things. */
const impersonal: Record<string, readonly string[] | 'all'> = {
  access_code_sessions: 'all', // devices that entered a code: of no account
  access_codes: 'all',
  access_fees: 'all',
  access_types: 'all',
  accesses: ['source', 'environment', 'store_environment'],
  account_operations: 'all', // ids, times and states: the tombstones
  accounts: ['role', 'language'],
  age_restrictions: 'all',
  analytics_events: 'all', // keyed hashes of browser sessions, of no account, for 90 days
  analytics_visits: 'all',
  audit_log: 'all', // ids and networks, held by checks: it may not change, and need not
  balance_movements: ['currency', 'reason', 'cause'],
  billing_details: ['country'],
  brands: 'all',
  cards: ['method', 'provider', 'country'],
  charge_taxes: 'all', // amounts, rates, countries and the consultation number of VIES by charge id
  // The device of a sign-in, for ten minutes.
  device_pairings: ['client_id', 'device_name', 'device_type', 'device_os', 'country', 'city', 'state'],
  charges: [
    ...['idempotency_key', 'trx_token', 'currency', 'status', 'reference', 'decline_reason', 'decline_message'],
    ...['decline_class', 'refusal_code'],
  ],
  country_set_countries: 'all',
  country_sets: 'all',
  customer_balances: 'all', // an amount by account id
  daily_figures: 'all', // sums
  provider_customers: 'all', // the provider's name of an account; deleted with the account
  default_cards: 'all', // ids; deleted with the account
  demo_fills: 'all', // of merchants
  demo_rows: 'all', // ids
  cancel_offers: 'all', // of merchants
  cancel_offer_presentations: 'all', // ids, times and a reason from a list; in the export
  card_setups: 'all', // ids, references and reasons; deleted with the account
  domain_restrictions: 'all',
  audit_chains: 'all',
  euro_rates: 'all', // public
  events: ['type', 'dedupe_key', 'traceparent'],
  external_accounts: ['integration'],
  external_fees: 'all',
  retired_external_fees: 'all',
  external_payments: ['token', 'store', 'product_name', 'state', 'reason', 'message'],
  former_trial_keys: 'all', // sealed keys of hashes
  feature_flags: 'all',
  datev_settings: 'all', // of merchants
  figure_deltas: 'all', // what is added to the sums
  follower_relations: 'all', // of merchants
  geo_set_places: 'all',
  geo_sets: 'all',
  gift_vouchers: ['currency', 'payment_token', 'state', 'sealed_code'],
  hourly_counts: 'all', // hashes, for an hour
  idempotency_keys: 'all', // sealed with the request itself, for a day; those of the account are deleted
  item_country_sets: 'all',
  item_metadata: 'all',
  items: 'all',
  invoice_buyers: 'all', // law requires the buyer for ten years; a check keeps the rows, and retention deletes them
  invoice_sequences: 'all', // counters of merchants
  invoice_series: 'all', // of merchants
  invoices: 'all', // the merchant, its items and amounts, by charge id
  item_tax_kinds: 'all',
  images: 'all', // pictures that the merchant shows to everybody, without the metadata of their files
  journal_entries: 'all', // accounts of the books and amounts, by charge id
  mail_requests: ['next_path', 'purpose'],
  mailed_tokens: ['purpose'],
  mail_texts: 'all', // a merchant's texts with placeholders, of no person
  mail_uses: 'all', // numbers of mails by day
  mails: ['template', 'language', 'attachment_name'],
  media_settings: 'all',
  merchant_settings: 'all',
  merchant_moves: 'all', // files with which merchants came and left
  merchant_states: 'all', // when a merchant waits or is suspended, and the reason that the merchant reads
  migrations: 'all',
  mrr_movements: 'all', // amounts by subscription id
  oauth_apps: 'all',
  outbox: 'all', // ids and amounts: deleted once it is sent
  package_items: 'all',
  payload_keys: 'all', // keys of sealed payloads: destroyed with the account
  paying_customers: 'all', // an amount by account id
  payments: [
    ...['token', 'state', 'access_type', 'period', 'currency', 'voucher_code', 'discount_period', 'environment'],
    ...['failure_reason', 'failure_message', 'country_iso', 'when_owned'],
    'added_tax', // a rate and countries
  ],
  platform_keys: 'all', // a merchant's, sealed
  provider_accounts: 'all', // the keys of a merchant's payment account
  provider_faults: 'all', // the provider's words to a merchant
  provider_paces: 'all', // the provider's name and instants
  provider_notifications: 'all', // ids of what the provider told
  disputes: 'all', // ids of what the provider told
  credit_losses: 'all', // amounts, by the ids of a charge and of a dispute or a refund
  balance_transactions: 'all', // ids and amounts in the provider's books
  subscription_reminders: 'all', // ids and days
  balance_listings: 'all', // instants
  balance_differences: 'all', // ids and amounts, and the merchant's note
  restorations: 'all', // instants and ids
  rows_behind: 'all', // ids of a run
  unclaimed_purchases: 'all', // the stores' own ids of notifications
  unmatched_payments: 'all', // ids and amounts of what the provider was paid
  company_providers: 'all', // a company's; the secret is sealed
  company_sign_ins: 'all', // before anybody is known, for ten minutes
  rate_limits: 'all', // an address for ten minutes, beside no name
  dispute_taxes: 'all', // amounts by dispute id
  provider_taxes: 'all', // the provider's ids by charge id
  refund_taxes: 'all', // amounts by refund id
  register_fields: 'all', // what a merchant asks; the answers are in the account's metadata
  restriction_settings: 'all',
  report_mailings: 'all', // days
  report_recipients: 'all', // hashes of addresses of no account, and what their readers have answered
  report_schedules: 'all', // whom a merchant writes to, sealed; of no account
  refunds: 'all', // ids, amounts, states; the reasons are the bank's
  passkey_challenges: 'all', // random, for five minutes
  passkeys: ['transports'],
  revenue_recognitions: 'all', // a merchant's day
  revenue_schedules: 'all', // amounts and days, by charge id
  base_backups: 'all', // names of folders
  run_rounds: 'all', // names of workflows
  saved_filters: ['list'],
  sessions: ['grant_type', 'scopes', 'last_used_at'],
  social_sign_ins: 'all', // before anybody is known, for ten minutes
  staff_invitations: 'all', // of people who are no customers: deleted with the answer, or 30 days after the end
  staff_members: 'all', // ids and roles
  staff_roles: 'all',
  store_consumption_requests: 'all', // Apple's ids and shares of time; deleted with their notification
  store_credentials: 'all', // a merchant's, sealed
  store_histories: 'all', // apps of merchants
  store_notifications: 'all', // sealed, for a month; those of the account's purchases are deleted
  store_payments: 'all', // amounts and the stores' own ids, for the books
  store_purchase_events: 'all',
  store_purchases: [
    ...['token', 'store', 'environment', 'original_id', 'transaction_id', 'product_id', 'next_product_id'],
    ...['look_up_id', 'kind', 'state', 'currency', 'country_iso'],
  ],
  store_refunds: 'all', // the stores' own ids of payments
  store_settings: 'all',
  store_transitions: 'all', // states and amounts by purchase id
  second_factors: ['kind'],
  sign_in_challenges: ['client_id', 'grant_type'], // for five minutes
  subscription_events: [
    ...['from_state', 'to_state', 'reason', 'actor', 'request_id', 'change_id', 'workflow_run_id', 'occasions'],
    'snapshot',
  ],
  subscriptions: [
    ...['token', 'state', 'state_before_revocation', 'currency', 'period', 'environment'],
    ...['failure_reason', 'failure_message'],
    ...['voucher_code', 'discount_period', 'trial_period', 'reminded', 'retry_days', 'country_iso'],
    'added_tax', // a rate and countries
  ],
  tax_profiles: 'all', // of merchants
  tax_registrations: 'all', // of merchants
  tax_reversals: 'all', // amounts by charge id
  test_clocks: 'all',
  used_trials: 'all', // a keyed hash: no trial twice, whoever it was
  voucher_batches: 'all', // of merchants
  voucher_rules: 'all', // by account id
  voucher_uses: 'all',
  webhook_deliveries: 'all', // what the receiver answered; the events are read anew
  webhook_endpoints: 'all', // of merchants
  webhook_outcomes: 'all',
  webhook_wakes: 'all',
  vouchers: 'all',
  wrapped_data_keys: 'all', // a key, sealed
  wrong_guesses: 'all', // keyed hashes, for a month at most
};

export function isClassified(table: string, column: string): boolean {
  const named = impersonal[table];
  return (
    named === 'all' ||
    named?.includes(column) === true ||
    Object.hasOwn(personal[table] ?? {}, column) ||
    addresses[table]?.includes(column) === true ||
    proofs[table]?.includes(column) === true
  );
}
