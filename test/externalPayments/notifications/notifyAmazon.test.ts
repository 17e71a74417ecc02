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
  const [sending] = await capture(stores, () => buy(shop, 'amazon'));
  if (!sending) throw new Error('the store tells nothing');
  return sending;
}

test('503 service_unavailable: what signs it cannot be fetched just now, so that it is sent again', async () => {
  const sending = await notification();
  stores.simulator.setHealth('down');
  expect((await push(app, sending)).status).toBe(503);
  expect(await keptNotifications(shop)).toEqual([]);
});

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
  const purchase = buy(shop, 'amazon');
  await settled(shop, await present(shop, purchase));
  const [sending] = await capture(stores, () => stores.simulator.market.setAutoRenew(purchase.id, false));
  if (!sending) throw new Error('the store tells nothing');
  await push(app, sending);
  const text = 'SELECT 1 FROM store_purchases WHERE account_id = $1 AND NOT auto_renew';
  await until(async () => (await app.pool.query(text, [shop.consumer.id])).rows.length === 1);
});

test('200: of a purchase that nobody has claimed yet it is kept, and the claim finds the present state', async () => {
  let purchase = buy(shop, 'amazon');
  const sendings = await capture(stores, () => {
    purchase = buy(shop, 'amazon');
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
  [
    'an app that is no text',
    JSON.stringify({ Type: 'Notification', Message: '{"appPackageName":{"a":[1]}}', TopicArn: [1] }),
  ],
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

/** Changed after it was signed, with a certificate from elsewhere, and without a signature. */
function forgeries(sending: Sending): Sending[] {
  const envelope = JSON.parse(sending.body) as Record<string, string>;
  const changes = [
    { Message: envelope['Message']?.replace('PURCHASED', 'CANCELLED') },
    { SigningCertURL: 'https://sns.example.org/cert.pem' },
    { Signature: '' },
  ];
  return changes.map((change) => ({ ...sending, body: JSON.stringify({ ...envelope, ...change }) }));
}
