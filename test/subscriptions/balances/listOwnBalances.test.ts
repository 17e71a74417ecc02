import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import { createConsumer, createShop, type Person, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (shop = await createShop(app)));
afterAll(() => app.stop());

const list = async (by: Person) => (await call(app, 'GET', '/v2/accounting/balances', undefined, by)).body;

test('200: the credit and debt of the consumer, and of no other', async () => {
  expect(await list(shop.consumer)).toEqual({ collection: [] });
  await giveCredit(app, shop.consumer.id, -1, 'KWD');
  await giveCredit(app, shop.consumer.id, 999);
  expect(await list(shop.consumer)).toEqual({
    collection: [
      { currency: 'EUR', balance: 9.99 },
      { currency: 'KWD', balance: -0.001 },
    ],
  });
  expect(await list(await createConsumer(app, shop.merchant))).toEqual({ collection: [] });
});
