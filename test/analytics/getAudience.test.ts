import { call } from '../support/client';
import { createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { tell } from '../support/visits';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: where visitors are, and on what, the most first', async () => {
  const shop = await createShop(app);
  const desktop = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36';
  for (const session_id of ['a', 'b']) await tell(app, shop.consumer, { type: 'paywall_view', session_id });
  await tell(app, shop.consumer, { type: 'preview_view', session_id: 'c' }, desktop);
  const { status, body } = await call(app, 'GET', '/analytics/audience', undefined, shop.merchant);
  const devices = [
    { device: 'mobile', visits: 2 },
    { device: 'desktop', visits: 1 },
  ];
  expect([status, body]).toMatchObject([200, { countries: [{ country_iso: '', visits: 3 }], devices }]);
});

test('422 invalid_input: a day that is none', async () => {
  const { merchant } = await createShop(app);
  expect((await call(app, 'GET', '/analytics/audience?to=soon', undefined, merchant)).status).toBe(422);
});
