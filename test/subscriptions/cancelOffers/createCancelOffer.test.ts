import { call } from '../../support/client';
import { createOffer, half, listOffers } from '../../support/cancelOffers';
import { createFee, createItem, createMerchant, createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('201: a pause, a cheaper plan and a discount, for an item and a reason or for all', async () => {
  const { merchant, item, fee } = await createShop(app);
  const offers = [
    { kind: 'pause', pause_months: 2, reason: 'too_little_use' },
    { kind: 'plan', item_id: item.id, access_fee_id: fee.id },
    { ...half, reason: 'too_expensive' },
  ];
  for (const offer of offers) expect((await createOffer(app, merchant, offer)).status).toBe(201);
  expect((await listOffers(app, merchant)).reverse()).toMatchObject(offers);
});

test.each([1, 100])('201: a discount of %d percent', async (percent) => {
  const merchant = await createMerchant(app);
  expect((await createOffer(app, merchant, { ...half, percent })).status).toBe(201);
});

test.each([
  ['percent', { ...half, percent: 0 }],
  ['percent', { ...half, percent: 101 }],
  ['percent', { ...half, percent: 12.5 }],
  ['charges', { ...half, charges: 0 }],
  ['charges', { ...half, charges: 13 }],
  ['pause_months', { kind: 'pause', pause_months: 0 }],
  ['reason', { ...half, reason: 'bored' }],
  ['kind', { kind: 'gift' }],
  ['pause_months', { ...half, pause_months: 1 }],
])('422 invalid_input: the %s of %j', async (name, fields) => {
  const { status, body } = await createOffer(app, await createMerchant(app), fields);
  expect([status, Object.keys(body.errors)]).toEqual([422, [name]]);
});

test.each([
  ['percent', { kind: 'discount', charges: 1 }],
  ['charges', { kind: 'discount', percent: 1 }],
  ['pause_months', { kind: 'pause' }],
])('400 missing_parameter: %s', async (name, fields) => {
  const { status, body } = await createOffer(app, await createMerchant(app), fields);
  expect([status, Object.keys(body.errors)]).toEqual([400, [name]]);
});

test('409 cancel_offer_exists: a second offer for the same item and reason, also at the same time', async () => {
  const { merchant, item } = await createShop(app);
  const place = { ...half, item_id: item.id, reason: 'other' };
  const statuses = await Promise.all([1, 2, 3].map(async () => (await createOffer(app, merchant, place)).status));
  expect(statuses.sort()).toEqual([201, 409, 409]);
  expect((await createOffer(app, merchant, half)).status).toBe(201);
  expect(await createOffer(app, merchant, { kind: 'pause', pause_months: 1 })).toMatchObject({
    status: 409,
    body: { error: 'cancel_offer_exists' },
  });
});

test('404 item_not_found: another merchant’s', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const offer = { ...half, item_id: other.item.id };
  expect(await createOffer(app, shop.merchant, offer)).toMatchObject({
    status: 404,
    body: { error: 'item_not_found' },
  });
});

test('404 access_fee_not_found: another merchant’s fee, and a fee of another item', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const second = await createItem(app, shop.merchant);
  const plan = (itemId: number, feeId: number) =>
    createOffer(app, shop.merchant, { kind: 'plan', item_id: itemId, access_fee_id: feeId });
  expect(await plan(shop.item.id, other.fee.id)).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
  expect((await plan(second.id, shop.fee.id)).status).toBe(404);
});

test('422 invalid_input: a fee that is paid once', async () => {
  const { merchant, item } = await createShop(app);
  const once = await createFee(app, merchant, item.id, { access_type: 'ppv', period: 'day', quantity: 1 });
  const { status, body } = await createOffer(app, merchant, {
    kind: 'plan',
    item_id: item.id,
    access_fee_id: once.id,
  });
  expect([status, Object.keys(body.errors)]).toEqual([422, ['access_fee_id']]);
});

test('the change is in the audit log', async () => {
  const merchant = await createMerchant(app);
  const { body } = await createOffer(app, merchant);
  const log = await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, merchant);
  expect(log.body.collection).toContainEqual(
    expect.objectContaining({ action: 'cancel_offer.create', object_id: String(body.id) }),
  );
});
