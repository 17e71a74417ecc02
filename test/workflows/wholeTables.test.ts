import { call } from '../support/client';
import { createShop, password, reaches, subscribe } from '../support/factories';
import { chargesOf, tokenOfCharge } from '../support/ledger';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { isErased, requestErasure } from '../support/privacy';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/**
 * Tables that have millions of rows in a large installation. PostgreSQL avoids whole reads here wherever an index exists, so a
 * whole read shows that one is missing.
 */
const largeTables = [
  'accesses',
  'cards',
  'charges',
  'events',
  'journal_entries',
  'mails',
  'mrr_movements',
  'payments',
  'refunds',
  'subscription_events',
  'subscriptions',
];

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  const [row] = (await app.pool.query<{ name: string }>('SELECT current_database() AS name')).rows;
  await app.pool.query(`ALTER DATABASE ${row?.name} SET enable_seqscan = off`);
  await endOtherConnections();
  await app.startWorker();
});
afterAll(() => app.stop());

/** New connections have the setting, and ended ones have reported their reads. */
const endOtherConnections = () =>
  app.pool.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );

async function wholeReads(): Promise<Record<string, number>> {
  await endOtherConnections();
  const { rows } = await app.pool.query<{ name: string; reads: number }>(
    'SELECT relname AS name, seq_scan::int AS reads FROM pg_stat_user_tables WHERE relname = ANY($1)',
    [largeTables],
  );
  return Object.fromEntries(rows.map(({ name, reads }) => [name, reads]));
}

test('a purchase, a renewal, a refund and a cancellation read no large table as a whole', async () => {
  const before = await wholeReads();
  expect(Object.keys(before).sort()).toEqual(largeTables);
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const id = body.subscription_id;
  await reaches(app, shop.consumer, id, 'active');
  await passDays(app, shop.merchant, 32);
  await until(async () => (await chargesOf(app, id)).some(({ cycle, status }) => cycle === 2 && status === 'paid'));
  const token = await tokenOfCharge(app, `${id}:2:1`);
  expect((await refund(app, shop.merchant, token)).status).toBe(200);
  await refunded(app, token);
  await call(app, 'DELETE', `/subscriptions/${id}`, undefined, shop.consumer);
  const payShop = await createPayShop(app);
  await paid(app, payShop);
  expect(await wholeReads()).toEqual(before);
});

test('lists of a customer and of a merchant, an export and an erasure read no large table as a whole', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const before = await wholeReads();
  for (const path of [`/items/${shop.item.id}/access`, '/subscriptions', '/items/access/customers'])
    expect((await call(app, 'GET', path, undefined, shop.consumer)).status).toBe(200);
  for (const path of ['/payments/transactions', '/subscriptions', '/accounts/registered-users'])
    expect((await call(app, 'GET', path, undefined, shop.merchant)).status).toBe(200);
  await call(app, 'POST', '/accounts/export', { password }, shop.consumer);
  await requestErasure(app, shop.consumer);
  await isErased(app, shop.consumer.id);
  expect(await wholeReads()).toEqual(before);
});
