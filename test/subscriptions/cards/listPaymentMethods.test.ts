import { call } from '../../support/client';
import { offerDebits } from '../../support/debits';
import { createFee, createShop } from '../../support/factories';
import { newFollower, signIn, type CreatedFollower } from '../../support/followers';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('200: how one may pay', async () => {
  const { consumer } = await createPayShop(app);
  const { body } = await call(app, 'GET', '/payments/methods', undefined, consumer);
  expect(body).toEqual([{ id: 1, method_name: 'Card', is_external: false }]);
});

test('200: the stores that the merchant has set up are external methods', async () => {
  const { merchant, consumer } = await createPayShop(app);
  await call(app, 'PUT', '/stores/roku', { partner_api_key: 'key-of-a-partner', channel_id: '12345' }, merchant);
  const { body } = await call(app, 'GET', '/payments/methods', undefined, consumer);
  expect(body).toEqual([
    { id: 1, method_name: 'Card', is_external: false },
    { id: 6, method_name: 'Roku Channel Store', is_external: true },
  ]);
});

test('200: not by what the master of a follower has switched off', async () => {
  const { merchant } = await createPayShop(app);
  const { email, ...fields } = newFollower({ 'methods[1]': false });
  const made = await call<CreatedFollower>(app, 'POST', '/accounts/merchants', { email, ...fields }, merchant);
  const follower = await signIn(app, email, made.body.account.uuid);
  expect((await call(app, 'GET', '/payments/methods', undefined, follower)).body).toEqual([]);
});

const both = [
  { id: 1, method_name: 'Card', is_external: false },
  { id: 7, method_name: 'Direct Debit', is_external: false },
];

test('200: direct debits, if the merchant has enabled them', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  expect((await call(app, 'GET', '/payments/methods', undefined, shop.consumer)).body).toEqual(both);
});

test('200: only the methods that can pay for the fee or the item', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  const ask = async (query: string) =>
    (await call(app, 'GET', `/payments/methods?${query}`, undefined, shop.consumer)).body;
  expect(await ask(`access_fee_id=${shop.fee.id}`)).toEqual(both);
  const weekly = await createFee(app, shop.merchant, shop.item.id, { quantity: 1, period: 'week' });
  const dollars = await createFee(app, shop.merchant, shop.item.id, { currency: 'USD' });
  expect(await ask(`access_fee_id=${weekly.id}`)).toEqual(both.slice(0, 1));
  expect(await ask(`access_fee_id=${dollars.id}`)).toEqual(both.slice(0, 1));
  expect(await ask(`item_id=${shop.item.id}`)).toEqual(both);
});

test('404 item_not_found: an item that does not exist', async () => {
  const { consumer } = await createShop(app);
  const reply = await call(app, 'GET', '/payments/methods?item_id=2147483647', undefined, consumer);
  expect(reply).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test('404 access_fee_not_found: a fee that does not exist', async () => {
  const { consumer } = await createShop(app);
  const reply = await call(app, 'GET', '/payments/methods?access_fee_id=2147483647', undefined, consumer);
  expect(reply).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
});
