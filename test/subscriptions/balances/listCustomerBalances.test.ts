import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import { createConsumer, createMerchant, createShop, type Person, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (shop = await createShop(app)));
afterAll(() => app.stop());

const list = ({ id }: Pick<Person, 'id'>, by: Person = shop.merchant) =>
  call(app, 'GET', `/v2/accounts/customers/${id}/balances`, undefined, by);

test('200: a credit or a debt in each currency, and an empty list without any', async () => {
  expect((await list(shop.consumer)).body).toEqual({ collection: [] });
  await giveCredit(app, shop.consumer.id, 1234);
  await giveCredit(app, shop.consumer.id, -500, 'JPY');
  expect((await list(shop.consumer)).body).toEqual({
    collection: [
      { currency: 'EUR', balance: 12.34 },
      { currency: 'JPY', balance: -500 },
    ],
  });
  expect((await list(await createConsumer(app, shop.merchant))).body).toEqual({ collection: [] });
});

test('404 account_not_found: another merchant’s customer, a merchant, nobody', async () => {
  const refused = { status: 404, body: { error: 'account_not_found' } };
  expect(await list(shop.consumer, await createMerchant(app))).toMatchObject(refused);
  for (const stranger of [shop.merchant, { id: 2_147_483_647 }]) expect(await list(stranger)).toMatchObject(refused);
});
