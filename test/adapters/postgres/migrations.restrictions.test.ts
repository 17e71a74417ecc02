import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrations } from '../../../src/adapters/postgres/migrations';

test('0014-restrictions: merchants from before it have settings, with no verification of ages', async () => {
  const adminUrl = process.env['TEST_DATABASE_ADMIN_URL'] ?? '';
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client(url.href);
  await client.connect();
  const index = migrations.findIndex((migration) => migration.name === '0014-restrictions');
  for (const { up } of migrations.slice(0, index)) await client.query(up);
  const [merchant, other] = [randomUUID(), randomUUID()];
  await client.query(
    `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     VALUES (1, $1, 1, $1, 'merchant', 'a', 'a', 'A', '-'), (2, $2, 1, $1, 'consumer', 'b', 'b', 'B', '-')`,
    [merchant, other],
  );
  await client.query(migrations[index]?.up ?? '');
  const { rows } = await client.query(
    'SELECT merchant_id, age_verification_enabled, age_verification_type FROM restriction_settings',
  );
  expect(rows).toEqual([{ merchant_id: 1, age_verification_enabled: false, age_verification_type: 'basic' }]);
  await client.end();
  await admin.query(`DROP DATABASE ${name}`);
  await admin.end();
});
