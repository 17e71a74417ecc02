import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

async function firstId(shop: Awaited<ReturnType<typeof createPayShop>>): Promise<number> {
  const { body } = await call<{ registrations: { id: number }[] }>(
    app,
    'GET',
    '/v2/tax/settings',
    undefined,
    shop.merchant,
  );
  return body.registrations[0]?.id ?? 0;
}

test('200: the registration is gone', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const path = `/v2/tax/registrations/${await firstId(shop)}`;
  const removed = await call(app, 'DELETE', path, undefined, shop.merchant);
  expect(removed).toMatchObject({ status: 200, body: { registrations: [] } });
});

test('404 not_found: it was removed before, or is another merchant’s', async () => {
  const [shop, other] = [await createPayShop(app), await createPayShop(app)];
  await nameSeller(app, shop);
  const path = `/v2/tax/registrations/${await firstId(shop)}`;
  expect((await call(app, 'DELETE', path, undefined, other.merchant)).status).toBe(404);
  expect((await call(app, 'DELETE', path, undefined, shop.merchant)).status).toBe(200);
  expect((await call(app, 'DELETE', path, undefined, shop.merchant)).status).toBe(404);
});
