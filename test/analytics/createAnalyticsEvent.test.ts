import { deviceTypeOf } from '../../src/kit/devices';
import { call } from '../support/client';
import { createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { phone, tell } from '../support/visits';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('202: counted once a day, session, type and item, and nothing of a person is kept', async () => {
  const shop = await createShop(app);
  const view = { type: 'paywall_view', item_id: shop.item.id, session_id: 'visit-1' };
  const { status, body } = await tell(app, shop.consumer, view);
  expect([status, body]).toEqual([202, { code: 202, message: 'Accepted', explain: 'Accepted' }]);
  await Promise.all(Array.from({ length: 5 }, () => tell(app, shop.consumer, view)));
  const { body: funnel } = await call(app, 'GET', '/analytics/funnel', undefined, shop.merchant);
  expect(funnel).toMatchObject({ seen: 1 });
  const { rows } = await app.pool.query<{ kept: string }>(
    'SELECT row_to_json(v)::text AS kept FROM analytics_visits v WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.kept).not.toContain('visit-1');
});

test('404 item_not_found: the item of another merchant', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const fields = { type: 'preview_view', item_id: other.item.id, session_id: 'visit' };
  expect((await tell(app, shop.consumer, fields)).status).toBe(404);
});

test('400 missing_parameter: no session; 422 for a type that is none', async () => {
  const shop = await createShop(app);
  expect((await tell(app, shop.consumer, { type: 'paywall_view' })).status).toBe(400);
});

test('422 invalid_input: a type that is none', async () => {
  const shop = await createShop(app);
  expect((await tell(app, shop.consumer, { type: 'sneeze', session_id: 'visit' })).status).toBe(422);
});

test.each([
  [phone, 'mobile'],
  ['Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148', 'tablet'],
  ['Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'tablet'],
  ['Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36', 'mobile'],
  ['Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 Version/7.0 TV Safari/537.36', 'tv'],
  ['Roku/DVP-12.0 (12.0.0.4182-88)', 'tv'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36', 'desktop'],
  ['curl/8.5.0', 'other'],
])('%s is a visitor on: %s', (userAgent, device) => expect(deviceTypeOf(userAgent)).toBe(device));
