import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** A statement ends before its client gives up, so that the client gets an answer. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ DATABASE_STATEMENT_SECONDS: '3' });
});

afterAll(() => app.stop());

test('503 service_unavailable: a statement over its time limit ends, and the answer has Retry-After', async () => {
  const merchant = await createMerchant(app);
  const holder = await app.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE items IN ACCESS EXCLUSIVE MODE');
    const fields = { title: 'Film', item_type: 'html_asset', content: '<p>Film.</p>' };
    const { status, headers } = await call(app, 'POST', '/v2/items', fields, merchant);
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
});

test.each(['pool', 'sequelize'] as const)('each connection of the %s has time limits', async (kind) => {
  const { pool, sequelize } = await import('../../../src/adapters/postgres/connection.js');
  const { QueryTypes } = await import('sequelize');
  const text = `SELECT name, setting::int FROM pg_settings WHERE name LIKE '%\\_timeout' ORDER BY name`;
  const rows: object[] =
    kind === 'pool' ? (await pool.query<object>(text)).rows : await sequelize.query(text, { type: QueryTypes.SELECT });
  expect(rows).toEqual(
    expect.arrayContaining([
      { name: 'idle_in_transaction_session_timeout', setting: 60_000 },
      { name: 'lock_timeout', setting: 5_000 },
      { name: 'statement_timeout', setting: 3_000 },
    ]),
  );
});
