import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { wordsOf } from '../../support/receipts';
import { startApp, type TestApp } from '../../support/startApp';
import { buy, createStoreShop, present, settled, startStores, type Stores } from '../../support/stores';
import { until } from '../../support/until';

let stores: Stores;
let app: TestApp;

beforeAll(async () => {
  stores = await startStores();
  app = await startApp(stores.environment);
  stores.simulator.setTarget(app.address);
  await app.startWorker();
});

afterAll(async () => {
  await app.stop();
  await stores.simulator.stop();
});

const read = (trxToken: string, { token }: Person) =>
  fetch(`${app.address}/v2/accounting/transactions/${encodeURIComponent(trxToken)}/receipt`, {
    headers: { Authorization: `Bearer ${token}` },
  });

async function historyOf(person: Person) {
  const path = '/v2/accounting/payment-history?page=0&size=10';
  const { body } = await call<{ collection: { trx_token: string }[] }>(app, 'GET', path, undefined, person);
  return body.collection;
}

test.each([
  ['apple', 'App Store'],
  ['google-play', 'Google Play'],
  ['amazon', 'Amazon Appstore'],
  ['roku', 'Roku Channel Store'],
] as const)(
  '200: a payment in a store, %s, by the token of its row in the history, with the store as the seller',
  async (store, seller) => {
    const shop = await createStoreShop(app, stores);
    await settled(shop, await present(shop, buy(shop, store)));
    const [row] = await historyOf(shop.consumer);
    for (const person of [shop.consumer, shop.merchant]) {
      const response = await read(row?.trx_token ?? '', person);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      const words = await wordsOf(response);
      expect(words).toMatch(new RegExp(`^Seller\\s+${seller}$`, 'm'));
      const footer = `${seller} sold it and issues the invoice. This statement is not an invoice.`;
      for (const expected of ['Statement of a purchase in a store', 'Total paid', shop.consumer.email, footer])
        expect(words.replaceAll(/\s+/g, ' ')).toContain(expected);
      expect(words).not.toContain('Receipt\n');
    }
    const stranger = await createConsumer(app, shop.merchant);
    expect((await read(row?.trx_token ?? '', stranger)).status).toBe(404);
    expect((await read(row?.trx_token ?? '', await createMerchant(app))).status).toBe(404);
  },
);

test('200: a refund in a store has the receipt of its payment', async () => {
  const shop = await createStoreShop(app, stores);
  const purchase = buy(shop, 'apple');
  await settled(shop, await present(shop, purchase));
  stores.simulator.market.refund(purchase.id);
  const refund = await until(async () => {
    const tokens = (await historyOf(shop.consumer)).map(({ trx_token }) => trx_token);
    return tokens.find((token) => token.endsWith('-refund'));
  });
  const response = await read(refund, shop.consumer);
  expect(response.status).toBe(200);
  expect(await wordsOf(response)).toContain('Refunded on');
});
