import { call } from '../../support/client';
import { type Shop } from '../../support/factories';
import { buy, createRedirectShop } from '../../support/redirects';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ TRUSTED_PROXIES: 'loopback' })));

afterAll(() => app.stop());

const addresses = { netherlands: '145.100.0.1', belgium: '193.190.0.1', america: '8.8.8.8', unknown: '10.0.0.1' };

async function list({ consumer }: Shop, query = '', address = addresses.unknown): Promise<string[]> {
  const headers = { 'X-Forwarded-For': address };
  const caller = { token: consumer.token, headers };
  const { body } = await call<{ method_name: string }[]>(app, 'GET', `/payments/methods${query}`, undefined, caller);
  return body.map(({ method_name: name }) => name);
}

test('200: by the country of the visitor; one from an unknown country sees all', async () => {
  const shop = await createRedirectShop(app, 'payment');
  expect(await list(shop)).toEqual(['Card', 'PayPal', 'Ideal', 'Bancontact']);
  expect(await list(shop, '', addresses.netherlands)).toEqual(['Card', 'PayPal', 'Ideal']);
  expect(await list(shop, '', addresses.belgium)).toEqual(['Card', 'PayPal', 'Bancontact']);
  expect(await list(shop, '', addresses.america)).toEqual(['Card', 'PayPal']);
});

test('200: the country decides on the list only, so a customer who travels can pay', async () => {
  const shop = await createRedirectShop(app, 'payment');
  expect(await list(shop, `?item_id=${shop.item.id}`, addresses.america)).not.toContain('Ideal');
  expect((await buy(app, shop, 'payment')).status).toBe(200);
});

test('200: by the currency, in any case, alone and with a fee', async () => {
  const shop = await createRedirectShop(app, 'payment', { currency: 'USD' });
  expect(await list(shop, '?currency=eur')).toEqual(['Card', 'PayPal', 'Ideal', 'Bancontact']);
  expect(await list(shop, '?currency=USD')).toEqual(['Card', 'PayPal']);
  expect(await list(shop, '?currency=RSD')).toEqual(['Card']);
  expect(await list(shop, `?access_fee_id=${shop.fee.id}&currency=EUR`)).toEqual(['Card', 'PayPal']);
});

test('200: by the merchant: what it has not enabled is not listed, and PayPal is external', async () => {
  const shop = await createRedirectShop(app, 'payment');
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['paypal'] }, shop.merchant);
  const { body } = await call(app, 'GET', '/payments/methods', undefined, shop.consumer);
  expect(body).toEqual([{ id: 2, method_name: 'PayPal', is_external: true }]);
});

test('404 item_not_found, 404 access_fee_not_found: those of another merchant', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const other = await createRedirectShop(app, 'payment');
  const ask = (query: string) => call(app, 'GET', `/payments/methods?${query}`, undefined, shop.consumer);
  expect(await ask(`item_id=${other.item.id}`)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  expect(await ask(`access_fee_id=${other.fee.id}`)).toMatchObject({
    status: 404,
    body: { error: 'access_fee_not_found' },
  });
});

test('422 invalid_input: a currency that is no code', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const reply = await call(app, 'GET', '/payments/methods?currency=euros', undefined, shop.consumer);
  expect(reply.status).toBe(422);
});
