import { startApp, type TestApp } from '../../support/startApp';
import {
  buy,
  capture,
  createStoreShop,
  keptNotifications,
  mayWatch,
  present,
  push,
  settled,
  startStores,
  type Stores,
  type StoreShop,
} from '../../support/stores';
import { until } from '../../support/until';
import { type Sending } from '../../../scripts/storeSimulator/face';

let stores: Stores;
let app: TestApp;
let shop: StoreShop;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await stores.simulator.stop();
});
beforeEach(async () => {
  shop = await createStoreShop(app, stores);
  stores.simulator.setHealth('well');
  stores.simulator.setDelivery('never');
});

/** One that the store would send of a new purchase. */
async function notification() {
  const [sending] = await capture(stores, () => buy(shop, 'apple'));
  if (!sending) throw new Error('the store tells nothing');
  return sending;
}

test('200: it is verified, kept sealed, and answered', async () => {
  const sending = await notification();
  expect(await push(app, sending)).toMatchObject({ status: 200, text: expect.stringContaining('Received') as unknown });
  const kept = await keptNotifications(shop);
  expect(kept).toHaveLength(1);
  expect(kept[0]?.sealed_body.toString('latin1')).not.toContain(sending.body.slice(0, 40));
});

test('200: the same one five times at once is kept once', async () => {
  const sending = await notification();
  const answers = await Promise.all(Array.from({ length: 5 }, () => push(app, sending)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await keptNotifications(shop)).toHaveLength(1);
});

test('200: the purchase is looked at again, whatever it says', async () => {
  const purchase = buy(shop, 'apple');
  await settled(shop, await present(shop, purchase));
  const [sending] = await capture(stores, () => stores.simulator.market.setAutoRenew(purchase.id, false));
  if (!sending) throw new Error('the store tells nothing');
  await push(app, sending);
  const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND NOT auto_renew';
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
});

test('200: of a purchase that nobody has claimed yet it is kept, and the claim finds the present state', async () => {
  let purchase = buy(shop, 'apple');
  const sendings = await capture(stores, () => {
    purchase = buy(shop, 'apple');
    stores.simulator.market.setAutoRenew(purchase.id, false);
  });
  for (const sending of sendings) expect((await push(app, sending)).status).toBe(200);
  expect(await keptNotifications(shop)).toHaveLength(2);
  await settled(shop, await present(shop, purchase));
  expect(await mayWatch(shop, shop.consumer)).toBe(true);
  const text = 'SELECT auto_renew FROM store_purchases WHERE account_id = $1';
  expect((await app.pool.query(text, [shop.consumer.id])).rows).toEqual([{ auto_renew: false }]);
});

test.each([
  ['100 kB of garbage', 'x'.repeat(100_000)],
  ['JSON of something else', '{"a":1}'],
  ['nothing', ''],
])('400 invalid_signature: %s', async (_what, body) => {
  const sending = await notification();
  expect((await push(app, { ...sending, body })).status).toBe(400);
  expect(await keptNotifications(shop)).toEqual([]);
});

test('400 invalid_signature: forged, nothing is kept and nothing is looked at', async () => {
  const sending = await notification();
  for (const forged of forgeries(sending)) expect((await push(app, forged)).status).toBe(400);
  expect(await keptNotifications(shop)).toEqual([]);
});

test('400 invalid_signature: of an app that is no merchant’s', async () => {
  const sending = await notification();
  await app.pool.query('DELETE FROM store_credentials WHERE merchant_id = $1', [shop.merchant.id]);
  expect((await push(app, sending)).status).toBe(400);
});

/** Changed by a letter, signed by another key of our own chain's form, and what says that it is of Xcode. */
function forgeries(sending: Sending): Sending[] {
  const { signedPayload } = JSON.parse(sending.body) as { signedPayload: string };
  const [header = '', payload = '', signature = ''] = signedPayload.split('.');
  const told = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { data: object };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const xcode = { ...told, data: { ...told.data, environment: 'Xcode' } };
  const texts = [
    [header, encode({ ...told, notificationType: 'REFUND' }), signature],
    [header, encode(xcode), signature],
    [encode({ alg: 'none' }), encode(xcode), ''],
    [header, payload, ''],
  ];
  return texts.map((parts) => ({ ...sending, body: JSON.stringify({ signedPayload: parts.join('.') }) }));
}
