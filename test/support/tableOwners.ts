import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { type Files, lineOf, parse } from './imports';

/** The room that owns each table. Only the owner and `privacy` write a table in SQL. */
export const ownersOfTables: Record<string, readonly string[]> = {
  accounts: [
    ...[
      'accounts',
      'follower_relations',
      'merchant_settings',
      'merchant_states',
      'pin_codes',
      'platform_keys',
      'profiles',
    ],
    ...[
      'mail_requests',
      'mailed_tokens',
      'email_changes',
      'media_favorites',
      'media_watches',
      'recovery_codes',
      'refresh_tokens',
    ],
    ...['passkeys', 'passkey_challenges', 'device_pairings'],
    ...['staff_invitations', 'staff_members', 'staff_roles'],
    ...['company_identities', 'company_providers', 'company_sign_ins'],
    ...['register_fields', 'second_factors', 'sessions', 'sign_in_challenges', 'social_identities', 'social_sign_ins'],
  ],
  adapters: [
    ...['base_backups', 'hourly_counts', 'idempotency_keys', 'outbox', 'payload_keys', 'provider_paces'],
    ...['rate_limits', 'run_rounds', 'wrapped_data_keys', 'wrong_guesses'],
  ],
  analytics: ['analytics_events', 'analytics_visits'],
  audit: ['audit_chains', 'audit_log'],
  branding: ['brands'],
  images: ['images'],
  demoData: ['demo_fills', 'demo_rows'],
  entitlements: ['accesses', 'data_captures', 'former_trial_keys', 'media_settings', 'used_trials'],
  externalAccounts: ['external_accounts'],
  externalPayments: [
    ...['external_payments', 'store_consumption_requests', 'store_histories', 'store_notifications'],
    ...['store_payments', 'store_purchase_events', 'store_purchases', 'store_refunds', 'unclaimed_purchases'],
  ],
  features: ['feature_flags'],
  invoices: ['invoice_buyers', 'invoice_sequences', 'invoice_series', 'invoices'],
  items: [
    ...['access_code_sessions', 'access_codes', 'access_fees', 'access_types', 'external_fees', 'item_metadata'],
    ...['items', 'package_items', 'retired_external_fees'],
  ],
  ledger: ['mrr_movements', 'store_transitions'],
  mail: ['mail_attachment_parts', 'mail_texts', 'mail_uses', 'mails'],
  moving: ['merchant_moves'],
  notifications: ['channels', 'events', 'webhook_wakes'],
  oauthApps: ['oauth_apps'],
  privacy: ['account_operations'],
  reports: [
    ...['daily_figures', 'figure_deltas', 'paying_customers'],
    ...['report_mailings', 'report_recipients', 'report_schedules'],
    ...['datev_settings', 'journal_entries', 'revenue_recognitions', 'revenue_schedules'],
  ],
  restrictionSettings: [
    ...['age_restrictions', 'country_set_countries', 'country_sets', 'domain_restrictions', 'geo_set_places'],
    ...['geo_sets', 'item_country_sets'],
  ],
  restrictions: ['restriction_settings'],
  savedFilters: ['saved_filters'],
  stores: ['store_credentials', 'store_settings'],
  subscriptions: [
    ...['balance_differences', 'balance_listings', 'balance_transactions'],
    ...[
      'balance_movements',
      'cancel_offers',
      'cancel_offer_presentations',
      'card_setups',
      'cards',
      'charges',
      'customer_balances',
      'default_cards',
    ],
    ...['credit_losses', 'disputes', 'payments'],
    ...['provider_accounts', 'provider_customers', 'provider_faults', 'provider_notifications'],
    ...['refunds', 'restorations', 'rows_behind'],
    ...['subscription_events', 'subscription_reminders', 'subscriptions', 'unmatched_payments'],
  ],
  tax: [
    'billing_details',
    'charge_taxes',
    'dispute_taxes',
    'euro_rates',
    'item_tax_kinds',
    'provider_taxes',
    'refund_taxes',
    'tax_profiles',
    'tax_registrations',
    'tax_reversals',
  ],
  testClock: ['test_clocks'],
  vouchers: ['gift_vouchers', 'voucher_batches', 'voucher_rules', 'voucher_uses', 'vouchers'],
  webhooks: ['webhook_deliveries', 'webhook_endpoints', 'webhook_outcomes'],
};

interface ForeignReads {
  reader: string;
  owners: readonly string[];
  reason: string;
}

/** Reads of tables that another room owns. */
export const foreignReads: readonly ForeignReads[] = [
  {
    reader: 'accounts',
    owners: ['oauthApps'],
    reason: 'A session is checked together with the app that opened it, in one statement.',
  },
  {
    reader: 'adapters',
    owners: ['accounts', 'externalPayments', 'mail', 'notifications', 'subscriptions', 'testClock', 'webhooks'],
    reason: 'Metrics count rows, the clock reads the test clock of a merchant, and payload keys belong to accounts.',
  },
  { reader: 'analytics', owners: ['items'], reason: 'An event is stored only for an item that exists.' },
  { reader: 'audit', owners: ['accounts'], reason: 'Entries are shown with the names of their actors.' },
  {
    reader: 'customers',
    owners: ['accounts', 'audit', 'entitlements', 'externalPayments', 'items', 'subscriptions', 'vouchers'],
    reason:
      'The timeline and the purchases of a customer are sorted lists over all sources, and a token names one of them.',
  },
  {
    reader: 'demoData',
    owners: ['accounts', 'audit', 'items', 'subscriptions', 'vouchers'],
    reason: 'The rows that a filling has created are found by its mark, and those that stay are shown by their names.',
  },
  {
    reader: 'entitlements',
    owners: ['accounts', 'externalPayments', 'items', 'subscriptions', 'testClock'],
    reason: 'The access check reads all that it needs in one statement.',
  },
  {
    reader: 'externalPayments',
    owners: ['accounts', 'items', 'stores'],
    reason: 'A purchase in a store is matched with a fee and an account in one statement.',
  },
  { reader: 'images', owners: ['accounts'], reason: 'The address of an image names its merchant by the uuid.' },
  {
    reader: 'invoices',
    owners: ['accounts', 'items', 'reports', 'subscriptions', 'tax'],
    reason:
      'An invoice copies the charge, its tax, its seller and its buyer in one statement; tax reports add sums by day.',
  },
  {
    reader: 'items',
    owners: ['entitlements', 'externalPayments', 'restrictionSettings', 'subscriptions', 'tax'],
    reason:
      'Lists show restrictions and sales of an item; a fee that was sold is not changed; a price is with or without tax.',
  },
  {
    reader: 'ledger',
    owners: ['accounts', 'externalPayments', 'items', 'subscriptions'],
    reason: 'Rows of the ledger are shown with their customer, item and subscription.',
  },
  {
    reader: 'mail',
    owners: ['accounts', 'tax'],
    reason:
      'A mail is written in the language of its reader and the time zone of its merchant, and waits while this one is closed.',
  },
  {
    reader: 'moving',
    owners: ['accounts', 'subscriptions'],
    reason:
      'An export names the merchant and the peppers of its passwords, and looks for the providers that hold its cards.',
  },
  {
    reader: 'operator',
    owners: ['accounts', 'adapters', 'audit', 'mail', 'webhooks'],
    reason: 'An operator sees the merchants, the actions of operators and what waits in the whole installation.',
  },
  {
    reader: 'notifications',
    owners: ['accounts', 'entitlements', 'webhooks'],
    reason: 'Events are sent to accounts with access, and wake the endpoints of webhooks.',
  },
  {
    reader: 'reports',
    owners: ['accounts', 'entitlements', 'externalPayments', 'invoices', 'items', 'ledger', 'subscriptions'],
    reason: 'Reports are statements over all that was sold.',
  },
  {
    reader: 'restrictions',
    owners: ['accounts', 'restrictionSettings'],
    reason: 'All rules of a merchant are read in one statement and kept in memory.',
  },
  {
    reader: 'subscriptions',
    owners: ['accounts', 'adapters', 'demoData', 'entitlements', 'externalPayments', 'items', 'tax', 'vouchers'],
    reason:
      'Lists show all purchases of a customer; a charge reads its plan and its payer in one statement; a subscription of removed demo data is not missing.',
  },
  {
    reader: 'tax',
    owners: ['accounts', 'items', 'reports', 'subscriptions'],
    reason:
      'The tax of a charge is decided by its purchase and its card, in one statement; sums of sales are those of their figures; a removed tax number is mailed to its customer.',
  },
  {
    reader: 'vouchers',
    owners: ['accounts', 'externalPayments', 'items', 'subscriptions'],
    reason: 'A voucher counts purchases, and its rules name fees, items and accounts.',
  },
  {
    reader: 'webhooks',
    owners: ['accounts', 'features', 'notifications'],
    reason: 'Deliveries read events in their order, for merchants that have the feature turned on.',
  },
  ...['branding', 'externalAccounts', 'features', 'oauthApps', 'restrictionSettings'].map((reader) => ({
    reader,
    owners: ['accounts'],
    reason: 'The rows belong to an active merchant or an account that is not erased.',
  })),
];

/** The names of the tables that the schema creates. */
export function tablesOfSchema(root: string): string[] {
  const folder = path.join(root, 'src/adapters/postgres');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'));
  const texts = files.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return texts
    .flatMap((text) => [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, name = '']) => name))
    .sort();
}

export interface TableUse {
  where: string;
  room: string;
  table: string;
  isWrite: boolean;
}

/** The uses of tables in SQL texts, by the words before a table's name. */
export function tableUses(files: Files): TableUse[] {
  const known = new Set(Object.values(ownersOfTables).flat());
  return [...files].flatMap(([name, text]) => {
    const room = /^src\/([^/.]+)/.exec(name)?.[1];
    return room === undefined ? [] : usesIn(name, text, room).filter(({ table }) => known.has(table));
  });
}

function usesIn(name: string, text: string, room: string): TableUse[] {
  const sourceFile = parse(name, text);
  const uses: TableUse[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || isTemplatePart(node))
      for (const [, verb = '', table = ''] of node.text.matchAll(mention))
        uses.push({
          where: `${name}:${lineOf(sourceFile, node)}`,
          room,
          table,
          isWrite: /INTO|UPDATE|DELETE/.test(verb),
        });
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return uses;
}

const mention = /\b(DELETE FROM|FROM|JOIN|INSERT INTO|INTO|UPDATE|USING)\s+(?:ONLY\s+)?(?:unfenced\.)?"?([a-z_]+)"?/g;

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

const ownerOf = (table: string) =>
  Object.keys(ownersOfTables).find((owner) => ownersOfTables[owner]?.includes(table)) ?? '';

/** `privacy` gathers, erases and expires rows of all rooms. */
const isForeign = ({ room, table }: TableUse) => room !== 'privacy' && ownerOf(table) !== room;

export function foreignWrites(files: Files): string[] {
  return tableUses(files)
    .filter((use) => use.isWrite && isForeign(use))
    .map(({ where, table }) => `${where} writes ${table} of ${ownerOf(table)}`);
}

export function unlistedReads(files: Files): string[] {
  return tableUses(files)
    .filter((use) => !use.isWrite && isForeign(use) && !isListed(use))
    .map(({ where, table }) => `${where} reads ${table} of ${ownerOf(table)}`);
}

const isListed = ({ room, table }: TableUse) =>
  foreignReads.some(({ reader, owners }) => reader === room && owners.includes(ownerOf(table)));

/** Pairs of the list that no statement uses. */
export function unusedReads(files: Files): string[] {
  const used = new Set(
    tableUses(files)
      .filter((use) => !use.isWrite)
      .map(({ room, table }) => `${room} of ${ownerOf(table)}`),
  );
  return foreignReads
    .flatMap(({ reader, owners }) => owners.map((owner) => `${reader} of ${owner}`))
    .filter((pair) => !used.has(pair));
}
