import { call } from '../support/client';
import { addresses, bornOn, createCountrySet, manage, startBehindProxy, yearsAgo } from '../support/restrictions';
import { createShop, purchase, type Shop } from '../support/factories';
import { type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startBehindProxy();
});

afterAll(() => app.stop());

const buy = (shop: Shop, headers: Record<string, string> = {}) =>
  call(app, 'POST', '/subscriptions', purchase(shop), { token: shop.consumer.token, headers });

const rowsOf = async ({ consumer }: Shop) => {
  const text = 'SELECT 1 FROM subscriptions WHERE account_id = $1';
  return (await app.pool.query(text, [consumer.id])).rows.length;
};

test('402 access_restricted: too young, from elsewhere, on another domain; nothing is bought until it fits', async () => {
  const shop = await createShop(app);
  await bornOn(app, shop.consumer, yearsAgo(17));
  await createCountrySet(app, shop, { countries: ['MK'] });
  await manage(app, shop, 'POST', `age/item/${shop.item.id}`, { min_age: 18 });
  await manage(app, shop, 'POST', 'domain/whitelist', { domains: [{ id: 0, domain: 'example.org' }] });
  const refusal = async (headers: Record<string, string>) => {
    const { status, body } = await buy(shop, headers);
    return [status, body['error'], Object.keys(body['errors'] ?? {})];
  };
  const there = { 'X-Forwarded-For': addresses.macedonia, Origin: 'https://www.example.org' };
  expect(await refusal({})).toEqual([402, 'access_restricted', ['domain']]);
  expect(await refusal({ ...there, 'X-Forwarded-For': addresses.america })).toEqual([
    402,
    'access_restricted',
    ['geo'],
  ]);
  expect(await refusal(there)).toEqual([402, 'access_restricted', ['age']]);
  expect(await rowsOf(shop)).toBe(0);
  await bornOn(app, shop.consumer, yearsAgo(18));
  expect((await buy(shop, there)).status).toBe(202);
});
