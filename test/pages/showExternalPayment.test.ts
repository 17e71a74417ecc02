import { call } from '../support/client';
import { createRedirectShop } from '../support/redirects';
import { startApp, type TestApp } from '../support/startApp';

/** The page between a shop and PayPal. No worker runs, so the page of PayPal is not known yet. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

async function begin() {
  const shop = await createRedirectShop(app, 'payment');
  const body = { origin: 'https://shop.example.org/', access_fee: shop.fee.id, payment_method: 'PayPal' };
  const begun = await call<{ endpoint: string }>(app, 'POST', '/external-payments', body, shop.consumer);
  return { shop, path: new URL(begun.body.endpoint).pathname };
}

const show = (path: string) => fetch(`${app.address}${path}`, { redirect: 'manual' });

test('200: the page asks again until the page of PayPal is known, in the language of the payer', async () => {
  const { path } = await begin();
  const page = await show(path);
  expect(page.status).toBe(200);
  expect(page.headers.get('refresh')).toBe('1');
  expect(await page.text()).toContain('PayPal opens');
  expect(await (await show(`${path}?lang=ar`)).text()).toContain('جارٍ فتح PayPal');
});

test('404 payment_not_found: a forged, a cut and another kind of link', async () => {
  const { path } = await begin();
  for (const bad of [`${path.slice(0, -4)}AAAA`, path.slice(0, -8), '/payments/external/C-nothing']) {
    const page = await show(bad);
    expect(page.status).toBe(404);
    expect(page.headers.get('refresh')).toBeNull();
  }
});

test('404 payment_not_found: the account of the payer is being erased', async () => {
  const { shop, path } = await begin();
  await app.pool.query('UPDATE accounts SET erasing_at = now() WHERE id = $1', [shop.consumer.id]);
  expect((await show(path)).status).toBe(404);
});
