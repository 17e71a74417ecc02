import { type AccessBody, check, createPackage, giveByHand, inSeconds, moveClock } from '../../../support/access';
import { call, listen } from '../../../support/client';
import { createConsumer, createFee, createItem, createShop } from '../../../support/factories';
import { type ErrorBody } from '../../../support/raw';
import { startApp, type TestApp } from '../../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const errorOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody).error];
const day = 86_400;

test('200: until a date, and the consumer has access at once', async () => {
  const shop = await createShop(app);
  const expires = inSeconds(3 * day);
  const { status, body } = await giveByHand(app, shop, { expires_at: expires });
  const { consumer, item } = shop;
  expect(status).toBe(200);
  expect(body).toMatchObject({ customer_id: consumer.id, customer_uuid: consumer.uuid, expires_at: expires, item });
  const checked = await check(app, item.id, consumer);
  expect([checked.status, checked.body.id, checked.body.expires_at]).toEqual([200, body.id, expires]);
});

test('200: access.granted reaches the consumer, with the packages that hold the item', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, item } = shop;
  const packages = [await createPackage(app, merchant, [item.id]), await createPackage(app, merchant, [item.id])];
  const listening = await listen(app, consumer);
  const { body } = await giveByHand(app, shop);
  const { resource } = await listening.hears('access.granted');
  expect(resource).toMatchObject({ id: body.id, expires_at: body.expires_at, package_collection: packages });
  expect(resource['item']).toMatchObject({ id: item.id, title: item.title, content: item.content, metahash: {} });
  await listening.close();
});

test.each([
  ['ppv', { quantity: 2, period: 'day' }, 2 * day],
  ['subscription', { quantity: 1, period: 'week' }, 7 * day],
])('200: for the time of a fee of the type %s', async (access_type, length, seconds) => {
  const shop = await createShop(app);
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type, ...length });
  const { body } = await giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id });
  expect(body.expires_at - body.starts_at).toBe(seconds);
  const { rows } = await app.pool.query('SELECT access_fee_id, source FROM accesses WHERE id = $1', [body.id]);
  expect(rows).toEqual([{ access_fee_id: fee.id, source: 'grant' }]);
});

test('200: until the date of a ppv_custom fee, and without an end by a freemium one', async () => {
  const shop = await createShop(app);
  const expires_at = inSeconds(5 * day);
  const fixed = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv_custom', expires_at });
  const free = await createFee(app, shop.merchant, shop.item.id, { access_type: 'freemium', amount: 0 });
  const by = async (fee: { id: number }) =>
    (await giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id })).body.expires_at;
  expect([await by(fixed), await by(free)]).toEqual([expires_at, 2 ** 31 - 1]);
});

test('200: a pay-per-view adds to what runs, also when two are given at once', async () => {
  const shop = await createShop(app);
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', quantity: 1, period: 'day' });
  const give = () => giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id });
  const replies = await Promise.all(Array.from({ length: 10 }, give));
  const ends = replies.map(({ body }) => body.expires_at).sort((a, b) => a - b);
  const first = ends[0] ?? 0;
  expect(ends).toEqual(ends.map((_end, index) => first + index * day));
  expect((await check(app, shop.item.id, shop.consumer)).body.expires_at).toBe(first + 9 * day);
});

test('200: by the merchant’s own time', async () => {
  const shop = await createShop(app);
  await moveClock(app, shop.merchant, '30 days');
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', quantity: 1, period: 'day' });
  const { body } = await giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id });
  expect(body.expires_at).toBeGreaterThan(inSeconds(30 * day));
  expect((await check(app, shop.item.id, shop.consumer)).status).toBe(200);
});

test('200: the merchant to itself, to try it', async () => {
  const shop = await createShop(app);
  await giveByHand(app, { ...shop, consumer: shop.merchant });
  expect((await check(app, shop.item.id, shop.merchant)).status).toBe(200);
});

test('200: the same Idempotency-Key gives once', async () => {
  const { merchant, consumer, item } = await createShop(app);
  const fields = { item_id: item.id, consumer_id: consumer.id, expires_at: inSeconds(day) };
  const give = () =>
    call<AccessBody>(app, 'POST', '/items/access', fields, {
      token: merchant.token,
      headers: { 'Idempotency-Key': `grant-${item.id}` },
    });
  expect((await give()).body.id).toBe((await give()).body.id);
});

test('200: it is in the audit log', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  const log = await call<{ collection: { action: string; object_id: string }[] }>(
    app,
    'GET',
    '/audit?action=access.grant',
    undefined,
    shop.merchant,
  );
  expect([log.status, log.body.collection.map(({ object_id }) => object_id)]).toEqual([200, [String(body.id)]]);
});

test('400 missing_parameter: neither a fee nor a date', async () => {
  const shop = await createShop(app);
  const reply = await giveByHand(app, shop, { expires_at: undefined });
  expect(errorOf(reply)).toEqual([400, 'missing_parameter']);
});

test('400 account_does_not_exist: somebody else’s consumer, an inactive one, nobody', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const gone = await createConsumer(app, shop.merchant);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [gone.id]);
  for (const consumer_id of [other.consumer.id, gone.id, 2_147_483_646])
    expect(errorOf(await giveByHand(app, shop, { consumer_id }))).toEqual([400, 'account_does_not_exist']);
  expect((await app.pool.query('SELECT 1 FROM accesses WHERE merchant_id = $1', [shop.merchant.id])).rows).toEqual([]);
});

test('404 item_not_found: another merchant’s item', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  expect(errorOf(await giveByHand(app, { ...shop, item: other.item }))).toEqual([404, 'item_not_found']);
});

test('404 access_fee_not_found: a fee of another item, or of another merchant', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const sibling = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, sibling.id);
  for (const access_fee_id of [fee.id, other.fee.id, 2_147_483_646])
    expect(errorOf(await giveByHand(app, shop, { access_fee_id }))).toEqual([404, 'access_fee_not_found']);
});

test('422 invalid_input: a date that is over, or past what old clients can read', async () => {
  const shop = await createShop(app);
  for (const expires_at of [inSeconds(-60), '2038-01-20T00:00:00Z', 'soon'])
    expect(errorOf(await giveByHand(app, shop, { expires_at }))).toEqual([422, 'invalid_input']);
});
