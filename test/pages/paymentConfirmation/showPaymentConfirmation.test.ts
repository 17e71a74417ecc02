import { call } from '../../support/client';
import { startApp, type TestApp } from '../../support/startApp';
import { changedLink, waitingRenewal } from '../../support/waitingRenewal';
import { queryBooks } from '../../support/providerBooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const open = (path: string, language = 'en') =>
  call<string>(app, 'GET', path, undefined, { headers: { 'Accept-Language': language, Accept: 'text/html' } });

test('200: the amount, the plan and the card, in the design of the merchant and the language of the browser', async () => {
  const { path } = await waitingRenewal(app);
  const { status, headers, body } = await open(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  for (const part of ['Confirm your payment', '€9.99', 'Monthly pass', 'ending in 4242', 'logo.png'])
    expect(body).toContain(part);
  expect((await open(path, 'ar')).body).toContain('أكّد دفعتك');
});

test.each([
  ['paypal', 'PayPal'],
  ['direct_debit', 'Direct debit'],
  ['link', 'Link'],
])('200: the method %s without digits is named %s', async (method, title) => {
  const { path, shop } = await waitingRenewal(app);
  const text = `UPDATE cards SET method = $2, last_four = '' WHERE account_id = $1`;
  await app.pool.query(text, [shop.consumer.id, method]);
  const { status, body } = await open(path);
  expect(status).toBe(200);
  expect(/<p class="quiet small">([^<]*)<\/p>/.exec(body)?.[1]).toBe(title);
});

test('200: opening the page confirms nothing', async () => {
  const { id, path } = await waitingRenewal(app);
  await open(path);
  const text = `SELECT status FROM sandbox_charges WHERE idempotency_key LIKE $1 ORDER BY created_at DESC LIMIT 1`;
  expect((await queryBooks(app.pool, text, [`${id}:%`])).rows).toEqual([{ status: 'awaits_payer' }]);
});

test('404 payment_not_found: a link that is changed, cut off or made up', async () => {
  const { path } = await waitingRenewal(app);
  for (const wrong of [
    changedLink(path),
    path.slice(0, -8),
    '/payments/confirm/1',
    `/payments/confirm/${'x'.repeat(201)}`,
  ]) {
    const { status, body } = await open(wrong);
    expect([wrong, status, body.includes('This link is not valid')]).toEqual([wrong, 404, true]);
  }
});
