import { call } from '../../support/client';
import { cards, createConsumer, createShop, type Person, reaches, subscribe } from '../../support/factories';
import { erase, isErased } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';
import { queryBooks } from '../../support/providerBooks';
import { runScript } from '../../support/scripts';

/** A backup contains accounts that were erased after it was made. The tombstones list what to erase again. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

/** The rows of the account in a backup, in the order of their references. */
const partsOf = ({ id }: Person) => [
  { table: 'subscription_events', rows: `subscription_id IN (SELECT id FROM subscriptions WHERE account_id = ${id})` },
  ...['events', 'accesses', 'subscriptions', 'cards', 'sessions', 'account_operations', 'payload_keys'].map(
    (table) => ({
      table,
      rows: `account_id = ${id}`,
    }),
  ),
  { table: 'accounts', rows: `id = ${id}` },
];

/** As a dump contains it. Returns a function that loads it again without triggers. */
async function backup(person: Person): Promise<() => Promise<void>> {
  const copyOf = (table: string) => `backup_${table}_${person.id}`;
  for (const { table, rows } of partsOf(person))
    await app.pool.query(`CREATE TABLE ${copyOf(table)} AS SELECT * FROM ${table} WHERE ${rows}`);
  return async () => {
    const client = await app.pool.connect();
    await client.query('SET session_replication_role = replica');
    for (const { table, rows } of partsOf(person)) {
      await client.query(`DELETE FROM ${table} WHERE ${rows}`);
      await client.query(`INSERT INTO ${table} SELECT * FROM ${copyOf(table)}`);
      await client.query(`DROP TABLE ${copyOf(table)}`);
    }
    await client.query('RESET session_replication_role');
    client.release();
  };
}

const emailOf = async ({ id }: Person) =>
  (await app.pool.query<{ email: string }>('SELECT email FROM accounts WHERE id = $1', [id])).rows[0]?.email;

const front = () => import('../../../src/privacy/erasures.js');

test('an account that a backup brings back is erased again, and nobody else', async () => {
  const { consumer, merchant } = await createShop(app);
  const other = await createConsumer(app, merchant);
  const restore = await backup(consumer);
  await erase(app, consumer);
  const { listErasures, replayErasures } = await front();
  const tombstones = await listErasures();
  expect(tombstones).toContain(consumer.uuid);
  expect((await runScript('erasures.js', ['list'])).said.split('\n')).toContain(consumer.uuid);
  await restore();
  expect(await emailOf(consumer)).toBe(consumer.email);
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(200);

  expect(await replayErasures([...tombstones, 'e5e7a7c8-6a33-4b5e-9f6b-1b7ad4d5f2b0'])).toBe(1);
  await isErased(app, consumer.id);
  expect(await emailOf(consumer)).toBe(`erased-${consumer.id}@erased.invalid`);
  expect(await emailOf(other)).toBe(other.email);
  expect(await replayErasures(tombstones)).toBe(0);
});

test('its subscription, whose workflow has ended long since, ends again and is not charged again', async () => {
  const shop = await createShop(app);
  const { consumer } = shop;
  const { body } = await subscribe(app, shop, cards.success);
  await reaches(app, consumer, body.subscription_id, 'active');
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM cards WHERE account_id = $1', [
    consumer.id,
  ]);
  const restore = await backup(consumer);
  await call(app, 'DELETE', '/accounts/erase', { password: 'correct-horse-battery' }, consumer);
  await isErased(app, consumer.id);
  await restore();

  const { replayErasures } = await front();
  expect(await replayErasures([consumer.uuid])).toBe(1);
  await isErased(app, consumer.id);
  const state = await app.pool.query('SELECT state FROM subscriptions WHERE account_id = $1', [consumer.id]);
  expect(state.rows).toEqual([{ state: 'canceled' }]);
  const charged = await queryBooks(app.pool, 'SELECT status FROM sandbox_charges WHERE token = $1', [rows[0]?.token]);
  expect(charged.rows).toEqual([{ status: 'paid' }]);
});

test('a merchant is never erased by a tombstone', async () => {
  const { merchant } = await createShop(app);
  const { replayErasures } = await front();
  expect(await replayErasures([merchant.uuid])).toBe(0);
});
