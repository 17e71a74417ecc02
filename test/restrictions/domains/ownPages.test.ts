import { createOpenShop, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

/** Our own pages show a merchant's items without being on its list of domains. */

let app: TestApp;

beforeAll(async () => (app = await startApp({ BASE_URL: 'https://Pay.example.net:8443/shop' })));
afterAll(() => app.stop());

const listed = async (type: 'whitelist' | 'blacklist', domain: string) => {
  const shop = await createOpenShop(app);
  await manage(app, shop, 'POST', `domain/${type}`, { domains: [{ id: 0, domain }] });
  return shop;
};

test('200: on a page of ours a whitelist of other domains refuses nobody', async () => {
  const shop = await listed('whitelist', 'example.org');
  expect(await refusalOf(app, shop, { origin: 'https://pay.example.net:8443' })).toBeUndefined();
  expect(await refusalOf(app, shop, { referer: 'https://pay.example.net/paywall/1' })).toBeUndefined();
});

test('200: nor where the browser names no page, but says that it is of the same origin', async () => {
  const shop = await listed('whitelist', 'example.org');
  expect(await refusalOf(app, shop, { site: 'same-origin' })).toBeUndefined();
});

test('402 access_restricted: on every other page that is not listed', async () => {
  const shop = await listed('whitelist', 'example.org');
  for (const from of [
    {},
    { site: 'none' },
    { site: 'cross-site' },
    { site: 'same-site', origin: 'https://other.example.net' },
    { origin: 'https://pay.example.net.example.com' },
    { origin: 'https://www.pay.example.net' },
  ])
    expect([from, await refusalOf(app, shop, from)]).toEqual([from, 'domain']);
});

test('402 access_restricted: on a page of ours that the merchant has put on its blacklist', async () => {
  const shop = await listed('blacklist', 'pay.example.net');
  expect(await refusalOf(app, shop, { site: 'same-origin' })).toBe('domain');
  expect(await refusalOf(app, shop)).toBeUndefined();
});
