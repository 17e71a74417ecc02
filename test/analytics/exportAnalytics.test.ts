import { call } from '../support/client';
import { createItem, createShop, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { tell } from '../support/visits';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const file = (merchant: Person, name: string, query = '') =>
  call<string>(app, 'GET', `/analytics/exports/${name}${query}`, undefined, merchant);
const linesOf = (text: string) => text.trim().split('\r\n');

const desktop = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36';

test('200: the countries and devices of visitors, the most frequent first', async () => {
  const shop = await createShop(app);
  for (const session_id of ['a', 'b']) await tell(app, shop.consumer, { type: 'paywall_view', session_id });
  await tell(app, shop.consumer, { type: 'preview_view', session_id: 'c' }, desktop);
  const { status, headers, body } = await file(shop.merchant, 'audience');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe('attachment; filename="audience.csv"');
  expect(linesOf(body)).toEqual(['kind,name,visits', 'country,,3', 'device,mobile,2', 'device,desktop,1']);
});

test('200: the funnel as one line, with empty rates while nobody has come', async () => {
  const shop = await createShop(app);
  const range = '?from=2026-01-01&to=2026-01-31';
  expect(linesOf((await file(shop.merchant, 'funnel', range)).body)).toEqual([
    'from,to,seen,registered,checkout,paid,registered_rate,paid_rate',
    '2026-01-01,2026-01-31,0,0,0,0,,',
  ]);
});

test('200: the actions at each item, and a title that would be a formula is a text', async () => {
  const shop = await createShop(app);
  const item = await createItem(app, shop.merchant, { title: '=1+1' });
  await tell(app, shop.consumer, { type: 'checkout_start', item_id: item.id, session_id: 'a' });
  expect(linesOf((await file(shop.merchant, 'item-events')).body)).toEqual([
    'item_id,title,paywall_view,preview_view,checkout_start,checkout_success,playback_start,playback_end,register_start,voucher_applied',
    `${item.id},'=1+1,0,0,1,0,0,0,0,0`,
  ]);
});

test('200: nothing of another merchant', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  await tell(app, other.consumer, { type: 'paywall_view', item_id: other.item.id, session_id: 'a' });
  for (const name of ['audience', 'item-events'])
    expect(linesOf((await file(shop.merchant, name)).body)).toHaveLength(1);
});

test('403 feature_disabled: the analytics are turned off', async () => {
  const { merchant } = await createShop(app);
  await call(app, 'PUT', '/v2/features/analytics', { enabled: 'false' }, merchant);
  expect(await file(merchant, 'audience')).toMatchObject({ status: 403, body: { error: 'feature_disabled' } });
});

test('404 not_found: a file that there is none of; 422 invalid_input: a day that is none', async () => {
  const { merchant } = await createShop(app);
  expect((await file(merchant, 'visitors')).status).toBe(404);
  expect((await file(merchant, 'audience', '?to=soon')).status).toBe(422);
});

test('422 invalid_input: a range that ends before it begins', async () => {
  const { merchant } = await createShop(app);
  expect((await file(merchant, 'funnel', '?from=2026-02-02&to=2026-02-01')).status).toBe(422);
});
