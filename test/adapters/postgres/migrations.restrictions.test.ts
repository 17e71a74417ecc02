import { afterUpgrade } from '../../support/upgrade';

const accounts = `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
  VALUES (1, gen_random_uuid(), 1, '00000000-0000-4000-8000-000000000001', 'merchant', 'a', 'a', 'A', '-'),
    (2, gen_random_uuid(), 1, '00000000-0000-4000-8000-000000000001', 'consumer', 'b', 'b', 'B', '-')`;

test('0014-restrictions: merchants from before it have settings, with no verification of ages', async () => {
  await afterUpgrade('0014-restrictions', [accounts], async (client) => {
    const { rows } = await client.query(
      'SELECT merchant_id, age_verification_enabled, age_verification_type FROM restriction_settings',
    );
    expect(rows).toEqual([{ merchant_id: 1, age_verification_enabled: false, age_verification_type: 'basic' }]);
  });
});

test('0071-fees-follow-sets: fees from before it whose type is their set’s follow it, the others keep theirs', async () => {
  const before = [
    accounts,
    `INSERT INTO items (id, merchant_id, title, item_type, content) VALUES (1, 1, 'Item', 'html_asset', '')`,
    `INSERT INTO access_types (id, merchant_id, name, quantity, period) VALUES (101, 1, 'subscription', 1, 'month')`,
    `INSERT INTO country_sets (id, merchant_id, name, type, is_global) VALUES (1, 1, 'Home', 'whitelist', false)`,
    `INSERT INTO access_fees (id, merchant_id, item_id, access_type_id, amount_minor, currency, description,
       country_iso, country_set_id, restriction_type)
     SELECT id, 1, 1, 101, 500, 'EUR', 'Monthly', country, set, type
     FROM (VALUES (1, NULL, 1, 'whitelist'), (2, NULL, 1, 'blacklist'), (3, 'MK', NULL, 'whitelist'), (4, NULL, NULL, NULL))
       AS v (id, country, set, type)`,
  ];
  await afterUpgrade('0071-fees-follow-sets', before, async (client) => {
    const { rows } = await client.query<{ type: string | null }>(
      'SELECT restriction_type AS type FROM access_fees ORDER BY id',
    );
    expect(rows.map(({ type }) => type)).toEqual([null, 'blacklist', 'whitelist', null]);
  });
});
