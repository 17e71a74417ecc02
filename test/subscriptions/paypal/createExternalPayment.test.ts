import { call } from '../../support/client';
import { createShop, reaches, type Shop } from '../../support/factories';
import { createPayShop, findPaymentFaults, settles } from '../../support/payments';
import { createRedirectShop } from '../../support/redirects';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The purchase by PayPal of clients that want an address at once. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const origin = 'https://shop.example.org/film?season=2';

interface Begun {
  endpoint: string;
  item_name: string;
}

const begin = (shop: Shop, fields: Record<string, unknown> = {}) =>
  call<Begun>(
    app,
    'POST',
    '/external-payments',
    { origin, access_fee: shop.fee.id, payment_method: 2, branding_id: 'undefined', ...fields },
    shop.consumer,
  );

const visit = (address: string) => fetch(address.replace(/^https?:\/\/[^/]+/, app.address), { redirect: 'manual' });

/** The page of PayPal, once our page leads there. */
async function pageOf({ endpoint }: Begun): Promise<string> {
  return until(async () => {
    const { status, headers } = await visit(endpoint);
    return status === 303 && (headers.get('location') ?? '');
  });
}

const answer = (page: string, given: string) => call<string>(app, 'POST', new URL(page).pathname, { answer: given });

const access = async ({ item, consumer }: Shop) =>
  (await call<{ id: number }>(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

const tokenOf = async (table: 'payments' | 'subscriptions', { consumer }: Shop) => {
  const { rows } = await app.pool.query<{ token: string }>(`SELECT token FROM ${table} WHERE account_id = $1`, [
    consumer.id,
  ]);
  return rows.map(({ token }) => token);
};

test('200: a form leads over our page to PayPal, and the paid purchase back to the shop with access', async () => {
  const shop = await createRedirectShop(app, 'payment', { description: 'Weekend pass' });
  const { status, body } = await begin(shop);
  expect(status).toBe(200);
  expect(body).toEqual({
    endpoint: expect.stringMatching(/^http.+\/payments\/external\/[\w-]+$/) as string,
    business: expect.any(String) as string,
    item_name: 'Weekend pass',
    currency_code: 'EUR',
    return: 'https://shop.example.org/film?season=2&ippwat=ppv',
    cancel_return: origin,
  });
  const page = await pageOf(body);
  const { headers } = await answer(page, 'approved');
  const back = new URL(headers.get('location') ?? '');
  expect(back.searchParams.get('ippwat')).toBe('ppv');
  expect(back.searchParams.get('payment_intent')).toBe(new URL(page).pathname.split('/').at(-1));
  const [token = ''] = await tokenOf('payments', shop);
  await settles(app, token, 'paid');
  expect(await access(shop)).toBe(200);
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
  const again = await visit(body.endpoint);
  expect(again.status).toBe(200);
  expect(await again.text()).toContain('Payment received');
});

test('200: multipart, as browsers send it, begins a subscription', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const form = new FormData();
  form.set('origin', origin);
  form.set('access_fee', String(shop.fee.id));
  form.set('payment_method', '2');
  const headers = { Authorization: `Bearer ${shop.consumer.token}` };
  const reply = await fetch(`${app.address}/external-payments`, { method: 'POST', body: form, headers });
  expect(reply.status).toBe(200);
  const begun = (await reply.json()) as Begun & { return: string };
  expect(begun.return).toContain('ippwat=subscription');
  await answer(await pageOf(begun), 'approved');
  const [token = ''] = await tokenOf('subscriptions', shop);
  await reaches(app, shop.consumer, token, 'active');
});

test('200: an account with access gets the id of the access, and buys nothing', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const { body } = await begin(shop);
  await answer(await pageOf(body), 'approved');
  const [token = ''] = await tokenOf('payments', shop);
  await settles(app, token, 'paid');
  const again = await begin(shop);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM accesses WHERE account_id = $1', [
    shop.consumer.id,
  ]);
  expect(again).toMatchObject({ status: 200, body: { id: rows[0]?.id } });
  expect(again.body).not.toHaveProperty('endpoint');
  expect(await tokenOf('payments', shop)).toHaveLength(1);
});

test('200: a double click is one purchase with one page', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const [first, second] = await Promise.all([begin(shop), begin(shop)]);
  expect(await pageOf(first.body)).toBe(await pageOf(second.body));
  expect(await tokenOf('payments', shop)).toHaveLength(1);
});

test('200: who cancels at PayPal comes to a page that leads back to the shop', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const { body } = await begin(shop);
  await answer(await pageOf(body), 'refused');
  const [token = ''] = await tokenOf('payments', shop);
  await settles(app, token, 'failed');
  const closed = await (await visit(body.endpoint)).text();
  expect(closed).toContain('This payment is closed');
  expect(closed).toContain('https://shop.example.org/film?season=2&amp;ippwat=ppv');
  expect(await access(shop)).toBe(402);
});

describe('a method that is not offered', () => {
  const refusal = { status: 422, body: { code: 422, error: 'payment_method_not_offered' } };

  test('422 payment_method_not_offered: the merchant has not enabled PayPal', async () => {
    const shop = await createPayShop(app);
    expect(await begin(shop)).toMatchObject(refusal);
    expect(await begin(await createShop(app))).toMatchObject(refusal);
    expect(await tokenOf('payments', shop)).toEqual([]);
  });

  test('422 payment_method_not_offered: another method, because this address takes PayPal only', async () => {
    const shop = await createRedirectShop(app, 'payment');
    for (const method of [1, 'ideal', 'Direct Debit'])
      expect(await begin(shop, { payment_method: method })).toMatchObject(refusal);
  });
});

test('404 access_fee_not_found: the fee of another merchant', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const { fee } = await createRedirectShop(app, 'payment');
  expect(await begin({ ...shop, fee })).toMatchObject({ status: 404, body: { error: 'access_fee_not_found' } });
});

test('404 voucher_not_found: an unknown voucher', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const reply = await begin(shop, { voucher_code: 'NOTHING' });
  expect(reply).toMatchObject({ status: 404, body: { error: 'voucher_not_found', message: 'Voucher not found' } });
});

test('409 already_has_access: a subscription that waits for money runs already', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const { body } = await begin(shop);
  await answer(await pageOf(body), 'approved');
  const [token = ''] = await tokenOf('subscriptions', shop);
  await reaches(app, shop.consumer, token, 'active');
  await app.pool.query('UPDATE accesses SET revoked_at = now() WHERE account_id = $1', [shop.consumer.id]);
  expect(await begin(shop)).toMatchObject({ status: 409, body: { error: 'already_has_access' } });
});

test('422 invalid_input: an origin that is no address of a page', async () => {
  const shop = await createRedirectShop(app, 'payment');
  for (const bad of ['shop.example.org', 'javascript:alert(1)', 'ftp://shop.example.org'])
    expect(await begin(shop, { origin: bad })).toMatchObject({ status: 422 });
});
