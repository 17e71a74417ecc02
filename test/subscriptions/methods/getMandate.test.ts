import { call } from '../../support/client';
import { accounts, createMandate, offerDebits } from '../../support/debits';
import { createShop, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const get = (consumer: Person) =>
  call<Record<string, unknown>>(app, 'GET', '/v2/payments/direct-debit/mandate', undefined, consumer);

test('200: the newest mandate, as it was created', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  await createMandate(app, shop, accounts.failed);
  const created = await createMandate(app, shop, accounts.paid);
  expect(await get(shop.consumer)).toMatchObject({ status: 200 });
  expect((await get(shop.consumer)).body).toEqual({
    is_approved: true,
    statement_descriptor: '',
    mandate: created.body['type_data'],
  });
});

test('404 mandate_not_found: the account has none', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  expect(await get(shop.consumer)).toMatchObject({ status: 404, body: { error: 'mandate_not_found' } });
});

test('422 payment_method_not_offered: the merchant has not enabled direct debits', async () => {
  const shop = await createShop(app);
  const refused = { status: 422, body: { code: 422, error: 'payment_method_not_offered' } };
  expect(await get(shop.consumer)).toMatchObject(refused);
});
