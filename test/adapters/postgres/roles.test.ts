import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { call } from '../../support/client';
import { createConsumer, createMerchant, registration, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { databaseLog, testOwnServer } from '../../support/databaseLog';
import { until } from '../../support/until';

let app: TestApp;
let merchant: Person;
let runtime: pg.Client;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  await call(app, 'PUT', '/v2/features/flag', { enabled: true }, merchant);
  runtime = new pg.Client(process.env['DATABASE_URL']);
  await runtime.connect();
});

afterAll(async () => {
  await runtime.end();
  await app.stop();
});

/** The role that owns the tables, at the database of this test. */
function ownerUrl(): string {
  const owner = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  owner.pathname = new URL(process.env['DATABASE_URL'] ?? '').pathname;
  return owner.href;
}

const newKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'one' };
};

describe('the role of the processes', () => {
  test.each([
    'UPDATE audit_log SET object_id = $$x$$',
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'UPDATE audit_chains SET last_sequence = 0',
    'DELETE FROM audit_chains',
    'INSERT INTO audit_chains (merchant_id) VALUES (1)',
    'ALTER TABLE audit_log DISABLE TRIGGER USER',
    'DROP TRIGGER audit_log_append_only ON audit_log',
    'CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'DROP TABLE audit_log',
    'UPDATE migrations SET checksum = $$x$$',
    'CREATE TABLE own (id int)',
    'SET ROLE paywall',
    'SET session_replication_role = replica',
  ])('cannot change the audit log or a table: %s', async (text) => {
    await expect(runtime.query(text)).rejects.toThrow(/permission denied|must be (owner|superuser)/);
  });

  test('is replaced by another one while it is in use: `npm run migrate` gives the new one the same rights', async () => {
    const name = `replacing_${randomUUID().replaceAll('-', '')}`;
    const url = new URL(process.env['DATABASE_URL'] ?? '');
    await app.pool.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
    Object.assign(url, { username: name, password: name });
    const program = resolve(__dirname, '../../../dist/src/migrate.js');
    const env = { ...process.env, DATABASE_URL: url.href, MIGRATION_DATABASE_URL: ownerUrl() };
    await promisify(execFile)(process.execPath, [program], { env });
    const replacing = new pg.Client(url.href);
    await replacing.connect();
    expect((await replacing.query('SELECT FROM accounts WHERE id = $1', [merchant.id])).rowCount).toBe(1);
    await expect(replacing.query('DELETE FROM audit_log')).rejects.toThrow('permission denied');
    expect((await call(app, 'GET', '/accounts', undefined, merchant)).status).toBe(200);
    await replacing.end();
    await app.pool.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
  });

  test('starts an API in production, and the owner does not', async () => {
    const { config } = await import('../../../src/config.js');
    const { prepareDatabase } = await import('../../../src/adapters/postgres/roles.js');
    const runtimeUrl = config.DATABASE_DIRECT_URL;
    try {
      config.ENVIRONMENT = 'production';
      await expect(prepareDatabase()).resolves.toBeUndefined();
      config.DATABASE_DIRECT_URL = ownerUrl();
      await expect(prepareDatabase()).rejects.toThrow('can change the audit log');
      config.ENVIRONMENT = 'test';
      await expect(prepareDatabase()).resolves.toBeUndefined();
    } finally {
      Object.assign(config, { ENVIRONMENT: 'test', DATABASE_DIRECT_URL: runtimeUrl });
    }
  });

  test('works in production, and a worker with the role of the owner does not', async () => {
    const worker = spawn(process.execPath, [resolve(__dirname, '../../../dist/workers/main.js')], {
      env: {
        ...process.env,
        ...{ ENVIRONMENT: 'production', DATABASE_URL: ownerUrl(), CARD_PROVIDER: 'none', SANDBOX_API_BASE: '' },
        ...{ SMTP_URL: 'smtp://mail.example.org', BASE_URL: 'https://pay.example.org', LOG_LEVEL: 'info' },
        ...{ JWT_KEYS: JSON.stringify([newKey()]), ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    worker.stdout.on('data', (text: Buffer) => (printed += String(text)));
    try {
      await until(() => {
        if (worker.exitCode !== null || worker.signalCode !== null) throw new Error(`the worker ended: ${printed}`);
        return /can change the audit log|waits for the workflow server|the worker polls/.test(printed);
      });
      expect(printed).toContain('can change the audit log');
    } finally {
      worker.kill('SIGKILL');
    }
  });
});

describe('the log of PostgreSQL', () => {
  testOwnServer('names no row that a statement of the processes collided with', async () => {
    const { id, email } = await createConsumer(app, merchant);
    const taken = `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, email, email_normalized, full_name, password_hash, role)
      SELECT gen_random_uuid(), merchant_id, merchant_uuid, '${email}', email_normalized, '${email}', password_hash, role
      FROM accounts WHERE id = ${id}`;
    await expect(runtime.query(taken)).rejects.toThrow('duplicate key');
    // PostgreSQL names no row of a table with policies, whatever the role is. This table has none.
    const twice = `INSERT INTO idempotency_keys (scope, key, request_hash) SELECT '', '${email}', '' FROM generate_series(1, 2)`;
    await expect(runtime.query(twice)).rejects.toThrow('duplicate key');
    await expect(runtime.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await until(() => Promise.resolve(databaseLog().includes('division by zero')));
    expect(databaseLog()).not.toContain(email);
  });

  testOwnServer('has no line for an address that is taken', async () => {
    const fields = registration('consumer', merchant.uuid);
    expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
    const before = databaseLog().length;
    expect((await call(app, 'POST', '/accounts', fields)).status).toBe(409);
    await expect(runtime.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await until(() => Promise.resolve(databaseLog().slice(before).includes('division by zero')));
    expect(databaseLog().slice(before)).not.toContain('accounts_');
  });
});

test('in production the role cannot name rows as demo data, which the books would let go', async () => {
  const name = `closed_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(process.env['DATABASE_URL'] ?? '');
  await app.pool.query(`CREATE ROLE ${name} LOGIN PASSWORD '${name}'`);
  Object.assign(url, { username: name, password: name });
  const { config } = await import('../../../src/config.js');
  const { migrateAsOwner } = await import('../../../src/adapters/postgres/roles.js');
  config.ENVIRONMENT = 'production';
  await migrateAsOwner(ownerUrl(), url.href);
  config.ENVIRONMENT = 'test';
  const closed = new pg.Client(url.href);
  await closed.connect();
  for (const text of [
    'INSERT INTO demo_fills (merchant_id, requested_by, begins_at) VALUES (1, 1, now())',
    `UPDATE demo_fills SET state = 'removing'`,
    `INSERT INTO demo_rows (fill_id, merchant_id, kind, row_id) VALUES (1, 1, 'subscription', 1)`,
  ])
    await expect(closed.query(text)).rejects.toThrow('permission denied');
  await closed.end();
  await app.pool.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
});
