import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import { cards, createMerchant, createShop, type Person, reaches, subscribe } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { mailsTo, receives } from '../../support/mailbox';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

/** A merchant mails a receipt again. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_MAILS: '2' });
  await app.startWorker();
});

afterAll(() => app.stop());

const resend = (token: string, caller: Person) =>
  call(app, 'POST', `/v2/accounting/transactions/${token}/receipt/resend`, undefined, caller);

test('200: the same mail as after the payment, with an entry in the log', async () => {
  const shop = await createPayShop(app, { setup_fee_amount: '1.00', setup_fee_description: 'Set-up' });
  const { merchant, consumer } = shop;
  const token = await paid(app, shop);
  const first = await receives(app, merchant, consumer.email, 'receipt');
  expect(await resend(token, merchant)).toMatchObject({ status: 200 });
  const second = await receives(app, merchant, consumer.email, 'receipt', first.id);
  expect([second.subject, second.text, second.html]).toEqual([first.subject, first.text, first.html]);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'receipt.resend',
    object_type: 'account',
    object_id: String(consumer.id),
  });
});

test('200: the token of a subscription means its latest charge, with the credit', async () => {
  const shop = await createShop(app);
  const { merchant, consumer } = shop;
  await giveCredit(app, consumer.id, 100);
  const { body } = await subscribe(app, shop);
  await reaches(app, consumer, body.subscription_id, 'active');
  const first = await receives(app, merchant, consumer.email, 'receipt');
  expect((await resend(body.subscription_id, merchant)).status).toBe(200);
  const second = await receives(app, merchant, consumer.email, 'receipt', first.id);
  expect([second.subject, second.text]).toEqual([first.subject, first.text]);
});

test('200: to the present address of the customer', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const moved = `moved-${shop.consumer.id}@example.org`;
  const text = 'UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1';
  await app.pool.query(text, [shop.consumer.id, moved]);
  expect((await resend(token, shop.merchant)).status).toBe(200);
  expect((await receives(app, shop.merchant, moved, 'receipt')).account_id).toBe(shop.consumer.id);
});

test('404 payment_not_found: a payment of another merchant, an unknown one, and a purchase that was not paid', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const other = await createShop(app);
  const { body } = await subscribe(app, other, cards.declined);
  await reaches(app, other.consumer, body.subscription_id, 'incomplete_expired');
  for (const [asked, caller] of [
    [token, await createMerchant(app)],
    ['P-UNKNOWN', shop.merchant],
    [body.subscription_id, other.merchant],
  ] as const)
    expect(await resend(asked, caller)).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
});

test('409 mail_not_possible: an erased account has no address', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const before = await mailsTo(app, shop.merchant, shop.consumer.email);
  await app.pool.query('UPDATE accounts SET erasing_at = now(), is_active = false WHERE id = $1', [shop.consumer.id]);
  expect(await resend(token, shop.merchant)).toMatchObject({ status: 409, body: { error: 'mail_not_possible' } });
  expect(await mailsTo(app, shop.merchant, shop.consumer.email)).toHaveLength(before.length);
});

test('429 too_many_requests: one customer gets two receipts an hour', async () => {
  const shop = await createPayShop(app);
  const [token, another] = [await paid(app, shop), await paid(app, shop)];
  const statuses = [];
  for (const asked of [token, another, token]) statuses.push((await resend(asked, shop.merchant)).status);
  expect(statuses).toEqual([200, 200, 429]);
});
