import { call } from '../support/client';
import { addresses, createOpenShop, createCountrySet, refusalOf, startBehindProxy } from '../support/restrictions';
import { type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy({ TRUSTED_PROXIES: 'loopback, 192.0.2.7' });
});

afterAll(() => app.stop());

const { macedonia, america } = addresses;

test('the address is the last that no trusted proxy has: what a visitor writes before it counts for nothing', async () => {
  const shop = await createOpenShop(app);
  await createCountrySet(app, shop, { countries: ['MK'] });
  const from = (address: string) => refusalOf(app, shop, { address });
  expect(await from(macedonia)).toBeUndefined();
  expect(await from(`${macedonia}, 192.0.2.7`)).toBeUndefined();
  expect(await from(`${macedonia}, ${america}`)).toBe('geo');
  expect(await from(`${macedonia}, ${america}, 192.0.2.7`)).toBe('geo');
  expect(await from(`${america}, ${macedonia}`)).toBeUndefined();
  expect(await from(`::ffff:${macedonia}`)).toBeUndefined();
});

test('a proxy that tells no address is the visitor itself, in every answer and in the audit log', async () => {
  const shop = await createOpenShop(app);
  const headers = { 'X-Forwarded-For': 'unknown' };
  const { token, uuid } = shop.merchant;
  const fields = { age_verification_enabled: false, age_verification_type: 'basic', merchant_uuid: uuid };
  const reply = await call(app, 'PATCH', '/restrictions/settings', fields, { token, headers });
  expect(reply.status).toBe(200);
  const access = await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, {
    token: shop.consumer.token,
    headers,
  });
  expect(access.body['ip_address']).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
});
