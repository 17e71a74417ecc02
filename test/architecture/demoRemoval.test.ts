import { emptiedTables } from '../../src/privacy/demoDeletions.model';
import { searchedTables } from '../../src/privacy/demoKeeping.model';
import { startApp, type TestApp } from '../support/startApp';

/** A removal of demo data knows each table that names one of the rows that it deletes. */

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** Rows of these tables name a merchant, a member of its staff or a store, and no row of demo data. */
const ofMerchants = [
  ...['merchant_settings', 'merchant_states', 'merchant_moves', 'feature_flags', 'register_fields', 'platform_keys'],
  ...['data_captures', 'test_clocks', 'demo_fills', 'demo_rows', 'follower_relations', 'staff_roles', 'staff_members'],
  ...['staff_invitations', 'saved_filters', 'company_providers', 'company_sign_ins', 'oauth_apps', 'audit_chains'],
  ...['brands', 'mail_texts', 'mail_uses', 'media_settings', 'restriction_settings', 'country_sets', 'geo_sets'],
  ...['retired_external_fees', 'former_trial_keys', 'voucher_batches', 'provider_accounts', 'provider_faults'],
  ...[
    'tax_profiles',
    'invoice_sequences',
    'invoice_series',
    'store_credentials',
    'store_settings',
    'store_notifications',
    'store_refunds',
  ],
  ...['unclaimed_purchases', 'channels', 'webhook_endpoints', 'analytics_visits', 'analytics_events'],
  ...['report_schedules', 'report_recipients', 'revenue_recognitions', 'datev_settings', 'images'],
  // Deleted with the row that they name.
  'mail_attachment_parts',
  // Of purchases in app stores, which keep their customer and their fee.
  'store_payments',
];

test('each table that names a deleted row is emptied, searched for rows of people, or of merchants only', async () => {
  const { rows } = await app.pool.query<{ name: string }>(
    `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
     WHERE contype = 'f' AND confrelid::regclass::text = ANY($1) ORDER BY 1`,
    [emptiedTables],
  );
  const known = new Set([...emptiedTables, ...searchedTables, ...ofMerchants]);
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
});
