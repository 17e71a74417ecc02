import { randomUUID } from 'node:crypto';
import { createFee, createItem, createShop } from '../../support/factories';
import { listPrices } from '../../support/sites';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const isoText = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/) as unknown;

test('200: the subscription’s fees in the order they were made', async () => {
  const trial = { trial_period_quantity: 7, trial_period_period: 'day' };
  const { merchant, item, fee } = await createShop(app, trial);
  await createFee(app, merchant, item.id, { access_type: 'ppv' });
  const yearly = await createFee(app, merchant, item.id, { period: 'year', amount: '99', description: 'Yearly pass' });
  const other = await createItem(app, merchant);
  await createFee(app, merchant, other.id);
  const price = (id: number, terms: object, metadata: object) => ({
    id: String(id),
    original_id: id,
    type: 'price',
    schema: null,
    created: isoText,
    last_modified: isoText,
    access: { type: 'subscription', quantity: 1, ...terms },
    metadata: { currency: 'EUR', trial: null, ...metadata },
    relationships: { plans: [{ id: String(item.id), type: 'plan' }] },
  });
  const { status, body } = await listPrices(app, merchant.uuid, item.id);
  expect(status).toBe(200);
  expect(body).toEqual({
    page: 1,
    total: 2,
    page_length: 10,
    prices: [
      price(fee.id, { period: 'month' }, { amount: 9.99, name: 'Monthly pass', trial: { period: 'day', quantity: 7 } }),
      price(yearly.id, { period: 'year' }, { amount: 99, name: 'Yearly pass' }),
    ],
  });
  const second = await listPrices(app, merchant.uuid, item.id, '?page=2&page_length=1');
  expect(second.body).toMatchObject({ page: 2, total: 2, page_length: 1, prices: [{ original_id: yearly.id }] });
});

test('200: none for another country, and none of an item that is not subscribed to', async () => {
  const foreign = await createShop(app, { country_iso: 'MK', restriction_type: 'whitelist' });
  const once = await createShop(app, { access_type: 'ppv' });
  for (const { merchant, item } of [foreign, once])
    expect((await listPrices(app, merchant.uuid, item.id)).body).toMatchObject({ total: 0, prices: [] });
});

test('404 account_not_found: no such merchant', async () => {
  const { item } = await createShop(app);
  const { status, body } = await listPrices(app, randomUUID(), item.id);
  expect([status, body]).toMatchObject([404, { error: 'account_not_found' }]);
});

test('404 item_not_found: another merchant’s item, as one that does not exist', async () => {
  const [{ merchant }, { item }] = [await createShop(app), await createShop(app)];
  for (const id of [item.id, 2_147_483_647]) {
    const { status, body } = await listPrices(app, merchant.uuid, id);
    expect([status, body]).toMatchObject([404, { error: 'item_not_found' }]);
  }
});
