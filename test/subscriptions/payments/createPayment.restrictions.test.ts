import { call } from '../../support/client';
import { purchase } from '../../support/factories';
import { createPayShop } from '../../support/payments';
import { bornOn, manage, yearsAgo } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('402 access_restricted: who is too young buys nothing until it fits', async () => {
  const shop = await createPayShop(app);
  await bornOn(app, shop.consumer, yearsAgo(17));
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 18 });
  const buy = () => call(app, 'POST', '/payments', purchase(shop), shop.consumer);
  expect(await buy()).toMatchObject({
    status: 402,
    body: { error: 'access_restricted', errors: { age: expect.any(String) as string } },
  });
  const { rows } = await app.pool.query('SELECT 1 FROM payments WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
  await bornOn(app, shop.consumer, yearsAgo(18));
  expect((await buy()).status).toBe(200);
});
