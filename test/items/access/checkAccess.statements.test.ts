import { check, createPackage, putIn } from '../../support/access';
import { createItem, createShop } from '../../support/factories';
import { grant } from '../../support/grant';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** The names of the prepared statements that `work` sends; what counts requests goes out in the background. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const sent: string[] = [];
  const query = pool.query.bind(pool) as (...values: unknown[]) => unknown;
  const watched = (...values: unknown[]) => {
    const { name } = values[0] as { name?: string };
    if (name !== undefined && name !== 'rate_limit_add') sent.push(name);
    return query(...values);
  };
  Object.assign(pool, { query: watched });
  try {
    await work();
  } finally {
    Object.assign(pool, { query });
  }
  return sent.filter((name) => !/^(outbox|mail|events)_/.test(name));
}

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
  await app.pool.query(`UPDATE accounts SET date_of_birth = '1980-01-01' WHERE id = $1`, [consumer.id]);
  const ask = async () => expect((await check(app, item.id, consumer)).status).toBe(200);
  await ask();
  expect(await statementsOf(ask)).toEqual(['access_check']);
  const many = await statementsOf(() => Promise.all(Array.from({ length: 100 }, ask)));
  expect(new Set(many)).toEqual(new Set(['access_check']));
  expect(many.length).toBeLessThan(100);
});
