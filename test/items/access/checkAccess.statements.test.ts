import { check, createPackage, putIn } from '../../support/access';
import { createItem, createShop } from '../../support/factories';
import { grant } from '../../support/grant';
import { bornOn } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';
import { type Sent, statementsOf } from '../../support/statements';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const namesOf = (sent: Sent[]) => sent.map(({ name }) => name);

test('200: one statement a check, by item or by packages, with rules and without, and for many at once', async () => {
  const shop = await createShop(app);
  const { merchant, item, consumer } = shop;
  const packages = [await createPackage(app, merchant, [item.id]), await createPackage(app, merchant, [item.id])];
  for (let count = 0; count < 20; count += 1)
    await putIn(app, merchant, packages[0] ?? 0, (await createItem(app, merchant)).id);
  await grant(app, { ...shop, item: { ...item, id: packages[1] ?? 0 } }, { from: '-1 hour', to: '1 hour' });
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    merchant.id,
    item.id,
  ]);
  await bornOn(app, consumer, '1980-01-01');
  const ask = async () => expect((await check(app, item.id, consumer)).status).toBe(200);
  // The replica still has to process the notifications about the rows above, and then reads the session and the rules once more.
  const isOnlyCheck = (names: string[]) => new Set(names).size === 1 && names[0] === 'access_check' && names;
  const one = await until(async () => isOnlyCheck(namesOf(await statementsOf(ask))));
  expect(one).toHaveLength(1);
  const hundred = () => Promise.all(Array.from({ length: 100 }, ask));
  const many = await until(async () => isOnlyCheck(namesOf(await statementsOf(hundred))));
  expect(many.length).toBeLessThan(100);
});

test('200: entitlements and packages are read from their indexes alone', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const all = await statementsOf(() => check(app, shop.item.id, shop.consumer));
  const sent = all.find(({ name }) => name === 'access_check');
  // The role of the service, because policies do not apply to the owner of the tables.
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const client = await pool.connect();
  try {
    // As for long tables. For the few rows of a test PostgreSQL would read the whole table.
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sent?.text}`, sent?.values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Only Scan using accesses_opening/);
    expect(plan).toMatch(/Index Only Scan using package_items_holding/);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
