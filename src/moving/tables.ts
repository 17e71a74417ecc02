/**
 * What happens to each table when a merchant moves to another installation. `$1` is the ids of the merchant and its followers.
 * A table whose rows are found through another table stands before it: rows are deleted in this order.
 */

export type TablePlace =
  /** The rows move. `isUnsteady`: visitors and time can change them after the export, which loses nothing that matters. */
  | { moves: true; rows: string; isUnsteady?: true }
  /** The rows move, unless the other installation has them already: they belong to no merchant. */
  | { moves: true; rows: string; isShared: true; isUnsteady: true }
  /** The rows stay. Without `rows` no row belongs to a merchant. */
  | { moves: false; reason: string; rows?: string };

const own = 'merchant_id = ANY($1::int[])';
const of = (parent: string, match: string) =>
  `EXISTS (SELECT FROM ${parent} p WHERE ${match} AND p.merchant_id = ANY($1::int[]))`;

const moved = (rows = own): TablePlace => ({ moves: true, rows });
const unsteady = (rows = own): TablePlace => ({ moves: true, rows, isUnsteady: true });
const shared = (rows: string): TablePlace => ({ moves: true, rows, isShared: true, isUnsteady: true });
const left = (reason: string, rows?: string): TablePlace => ({
  moves: false,
  reason,
  ...(rows !== undefined && { rows }),
});

const signIn = 'Everybody signs in again, because the keys of tokens differ.';
const short = 'Lives for minutes.';
const process = 'Belongs to the processes of the installation, and to no merchant.';

export const tablePlaces: Readonly<Record<string, TablePlace>> = {
  // Found through another table.
  refresh_tokens: left(signIn, of('sessions', 'p.id = t.session_id')),
  passkey_challenges: left(short, of('sessions', 'p.id = t.session_id')),
  provider_customers: moved(of('accounts', 'p.id = t.account_id')),
  mail_attachment_parts: moved(of('mails', 'p.id = t.mail_id')),
  webhook_outcomes: moved(of('webhook_endpoints', 'p.id = t.endpoint_id')),
  store_consumption_requests: moved(
    of('store_notifications', 'p.store = t.store AND p.notification_id = t.notification_id'),
  ),
  store_histories: shared(of('store_credentials', 'p.store = t.store AND p.app = t.app')),
  // A repeated request with a key of the last day is refused, because only the first installation can open the answer.
  idempotency_keys: unsteady(
    `t.created_at > now() - interval '24 hours' AND EXISTS (SELECT FROM accounts a
      WHERE a.merchant_id = ANY($1::int[]) AND t.scope = 'account:' || a.id)`,
  ),
  balance_listings: moved('owner_id = ANY($1::int[])'),
  // The role of followers and their masters, which move together.
  follower_relations: moved('master_id = ANY($1::int[]) OR follower_id = ANY($1::int[])'),

  // Of a merchant.
  ...Object.fromEntries(
    [
      ...['accounts', 'merchant_settings', 'merchant_states', 'feature_flags', 'register_fields', 'platform_keys'],
      ...['test_clocks', 'demo_fills', 'demo_rows'],
      ...['staff_roles', 'staff_members', 'staff_invitations', 'saved_filters'],
      ...['company_providers', 'company_identities', 'oauth_apps', 'social_identities', 'second_factors'],
      ...[
        'email_changes',
        'recovery_codes',
        'passkeys',
        'audit_chains',
        'audit_log',
        'brands',
        'images',
        'mail_texts',
        'mails',
        'items',
      ],
      ...['item_metadata', 'package_items', 'media_settings', 'external_accounts', 'restriction_settings'],
      ...['age_restrictions', 'domain_restrictions', 'country_sets', 'country_set_countries', 'item_country_sets'],
      ...['geo_sets', 'geo_set_places', 'access_types', 'access_fees', 'external_fees', 'retired_external_fees'],
      ...['accesses', 'used_trials', 'former_trial_keys', 'access_codes', 'profiles', 'media_favorites'],
      ...['media_watches', 'voucher_batches', 'vouchers', 'voucher_rules', 'voucher_uses', 'gift_vouchers', 'cards'],
      ...['default_cards', 'provider_accounts', 'provider_faults', 'subscriptions', 'subscription_events'],
      ...['subscription_reminders', 'cancel_offers', 'cancel_offer_presentations', 'payments', 'charges'],
      ...['card_setups', 'refunds', 'disputes', 'credit_losses', 'tax_profiles', 'tax_registrations', 'item_tax_kinds'],
      ...[
        'billing_details',
        'charge_taxes',
        'refund_taxes',
        'dispute_taxes',
        'provider_taxes',
        'tax_reversals',
        'customer_balances',
      ],
      ...['balance_movements', 'balance_transactions', 'balance_differences', 'invoice_series', 'invoice_sequences'],
      ...[
        'invoices',
        'invoice_buyers',
        'store_credentials',
        'store_settings',
        'store_purchases',
        'store_purchase_events',
      ],
      ...[
        'store_payments',
        'store_refunds',
        'external_payments',
        'store_notifications',
        'unclaimed_purchases',
        'channels',
        'events',
      ],
      ...['webhook_endpoints', 'webhook_wakes', 'webhook_deliveries', 'mrr_movements', 'paying_customers'],
      ...['store_transitions', 'report_schedules', 'report_mailings', 'report_recipients'],
      ...['unmatched_payments', 'journal_entries'],
      ...['revenue_schedules', 'revenue_recognitions', 'datev_settings', 'account_operations'],
    ].map((table) => [table, moved()]),
  ),
  ...Object.fromEntries(
    [
      ...['access_code_sessions', 'data_captures', 'mail_uses', 'analytics_visits', 'analytics_events'],
      ...['daily_figures', 'figure_deltas'],
    ].map((table) => [table, unsteady()]),
  ),

  // Stays.
  sessions: left(signIn, own),
  sign_in_challenges: left(short, own),
  company_sign_ins: left(short, own),
  device_pairings: left(short, own),
  pin_codes: left(signIn, own),
  mailed_tokens: left('People ask for another mail: the links lead to the first installation.', own),
  mail_requests: left(short, own),
  payload_keys: left('Encrypts runs in Temporal. The other installation starts new runs with new keys.', own),
  merchant_moves: left('Says what happened in one installation.', own),
  social_sign_ins: left(short),
  wrong_guesses: left('Keyed by a secret of the installation, and short-lived.'),
  provider_notifications: left('Only prevents repeated work. The provider is asked again.'),
  provider_paces: left(process),
  outbox: left('An export waits until no message of the merchant is left.'),
  run_rounds: left(process),
  base_backups: left('They are of the whole server.'),
  wrapped_data_keys: left(process),
  rate_limits: left(process),
  hourly_counts: left(process),
  restorations: left(process),
  euro_rates: left('Public data, which the other installation requests again.'),
  rows_behind: left(process),
};

/** The columns that are sealed by the data key, and the purpose of each. */
export const sealedColumns: Readonly<Record<string, Readonly<Record<string, (row: MovedRow) => string>>>> = {
  platform_keys: { sealed_keys: () => 'platform keys' },
  company_providers: { sealed_secret: ({ merchant_id: id }) => `company provider ${id}` },
  second_factors: { sealed_secret: ({ account_id: id }) => `second factor of account ${id}` },
  mails: { sealed_values: () => 'mail' },
  mail_attachment_parts: { sealed_text: () => 'mail attachment' },
  media_settings: { sealed_media_secret: () => 'media-secret', sealed_private_key: () => 'cloudfront-key' },
  gift_vouchers: { sealed_code: () => 'gift voucher' },
  provider_accounts: { sealed_keys: () => 'provider account' },
  store_credentials: { sealed_credentials: () => 'store-credentials' },
  external_payments: { sealed_claim: () => 'external-payment' },
  store_notifications: { sealed_body: () => 'store-notification' },
  webhook_endpoints: { sealed_secret: () => 'webhook', sealed_previous_secret: () => 'webhook' },
  report_schedules: { sealed_recipients: () => 'report recipients' },
  former_trial_keys: { sealed_key: () => 'former trial key' },
};

/** Sealed columns that move as they are, because no program reads them again. */
export const keptSealed: readonly string[] = ['idempotency_keys.sealed_answer'];

/** A row with its columns as PostgreSQL writes them as text. */
export type MovedRow = Readonly<Record<string, string | null>>;

/** The row with each sealed value changed. `change` gets the purpose of the seal and the column. */
export function mapSealed(
  { table, columns, row }: { table: string; columns: readonly string[]; row: (string | null)[] },
  change: (value: string, purpose: string, column: string) => string,
): (string | null)[] {
  const sealed = sealedColumns[table];
  if (!sealed) return row;
  const byName = Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
  return columns.map((column, index) => {
    const value = row[index] ?? null;
    const purposeOf = sealed[column];
    return purposeOf && value !== null ? change(value, purposeOf(byName), column) : value;
  });
}

/** Sequences that number more than one table, and the columns that they have filled. */
export const sharedSequences: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
  access_source_ids: [
    ['accesses', 'source_id'],
    ['store_purchases', 'access_source_id'],
  ],
  media_watches_position: [['media_watches', 'position']],
};

export const movedTables = Object.entries(tablePlaces).flatMap(([table, place]) =>
  place.moves ? [{ table, ...place }] : [],
);
