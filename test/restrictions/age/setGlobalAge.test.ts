import { bornOn, createOpenItem, createOpenShop, manage, refusalOf, yearsAgo } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the minimum age applies to every item at once, and is replaced by the next', async () => {
  const shop = await createOpenShop(app, yearsAgo(17));
  const other = await createOpenItem(app, shop);
  expect(await refusalOf(app, shop)).toBeUndefined();
  const saved = await manage(app, shop, 'POST', 'age', { min_age: 18 });
  expect(saved).toMatchObject({ status: 200, body: { code: 200, message: expect.any(String) as string } });
  expect([await refusalOf(app, shop), await refusalOf(app, other)]).toEqual(['age', 'age']);
  await manage(app, shop, 'POST', 'age', { min_age: 17 });
  expect([await refusalOf(app, shop), await refusalOf(app, other)]).toEqual([undefined, undefined]);
});

test('200: who has no date of birth is refused, whether or not ages are verified at registration', async () => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', 'age', { min_age: 1 });
  expect(await refusalOf(app, shop)).toBe('age');
  await bornOn(app, shop.consumer, '1980-02-29');
  expect(await refusalOf(app, shop)).toBeUndefined();
});

test('200: another merchant’s items are untouched', async () => {
  const [shop, neighbour] = [await createOpenShop(app), await createOpenShop(app)];
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  expect(await refusalOf(app, neighbour)).toBeUndefined();
});

test('200: a merchant’s test clock brings the birthday', async () => {
  const shop = await createOpenShop(app, yearsAgo(17));
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  await app.pool.query("UPDATE accesses SET expires_at = now() + interval '2 years' WHERE account_id = $1", [
    shop.consumer.id,
  ]);
  await app.pool.query("INSERT INTO test_clocks (merchant_id, ahead) VALUES ($1, '367 days')", [shop.merchant.id]);
  expect(await refusalOf(app, shop)).toBeUndefined();
});

test.each([0, -1, 151, 1.5, 'eighteen'])('422 invalid_input: min_age %s', async (min_age) => {
  const shop = await createOpenShop(app);
  const { status, body } = await manage(app, shop, 'POST', 'age', { min_age });
  expect([status, body['errors']]).toEqual([422, { min_age: expect.any(String) as string }]);
});
