import { call } from '../support/client';
import { createConsumer, createFee, createItem } from '../support/factories';
import { subscribeWithAuthentication } from '../support/payer';
import { createBrandedMerchant } from '../support/paywall';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const path = '/payments/return';

test('200: a payer who comes back from the bank is told that they can go', async () => {
  const answer = await fetch(`${app.address}${path}?payment_intent=pi_1`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain('You can close this window.');
});

test('200: with the looks of the merchant who is paid, in the language of the browser, and on to the portal', async () => {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
  const { pi } = await subscribeWithAuthentication(app, shop);
  const headers = { 'Accept-Language': 'ar' };
  const { body } = await call<string>(app, 'GET', `${path}?payment_intent=${pi}`, undefined, { headers });
  expect(body).toContain('<html lang="ar" dir="rtl">');
  expect(body).toContain('src="https://cdn.example/logo.png"');
  expect(body).toContain(`href="/portal/${merchant.uuid}/sign-in"`);
  expect(body).toContain(`href="?payment_intent=${pi}&amp;lang=en"`);
});

test('200: whatever a bank adds, its payer is not refused', async () => {
  for (const query of [
    'payment_intent=%00',
    'payment_intent=a&payment_intent=b',
    `payment_intent=${'x'.repeat(3000)}`,
  ]) {
    const { status, body } = await call<string>(app, 'GET', `${path}?${query}`);
    expect({ query, status }).toEqual({ query, status: 200 });
    expect(body).toContain('You can close this window.');
  }
});
