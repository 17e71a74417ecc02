import { call, listen, requestChange } from '../../support/client';
import { charged } from '../../support/debits';
import { reaches, type Shop } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { findPaymentFaults, settles } from '../../support/payments';
import { buy, buyOnPage, createRedirectShop } from '../../support/redirects';
import { changeCardOutcome, giveTrial } from '../../support/scenarios';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

/** PayPal at the sandbox: the payer agrees on a page of PayPal, and renewals need neither the payer nor a mandate. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const byPaypal = { payment_method: 'paypal' };

const access = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

const priceOf = ({ fee }: Shop) => fee.amount;

/** The types of the payer's events, in their order. */
async function heardBy({ consumer }: Shop, last: string) {
  const channel = await listen(app, { ...consumer, lastEventId: 0 });
  await channel.hears(last);
  await channel.close();
  return channel.heard;
}

describe('a one-time payment', () => {
  test('external.payment.success: paid on the page of PayPal', async () => {
    const shop = await createRedirectShop(app, 'payment', { currency: 'USD' });
    const page = await buyOnPage(app, shop, 'payment', byPaypal);
    const shown = await call<string>(app, 'GET', new URL(page.redirectTo).pathname);
    expect(shown.body).toContain('Pay with PayPal');
    expect(shown.body).toContain('Test PayPal');
    await page.answer('approved');
    const heard = await heardBy(shop, 'external.payment.success');
    const paid = heard.find(({ type }) => type === 'external.payment.success');
    expect(paid?.resource).toMatchObject({
      transaction: page.id,
      external_payment_id: page.id,
      amount: '4.50',
      currency_iso: 'USD',
      payment_method: 'paypal',
    });
    expect(heard.map(({ type }) => type)).not.toContain('payment.card.success');
    expect(await access(shop)).toBe(200);
    expect(await findPaymentFaults(app.pool, page.id)).toEqual([]);
    const history = await call<{ collection: unknown[] }>(
      app,
      'GET',
      '/v2/accounting/payment-history',
      undefined,
      shop.consumer,
    );
    expect(history.body.collection).toMatchObject([{ payment_method_name: 'PayPal', payment_tool_info: '' }]);
  });

  test('external.payment.failed: cancelled on the page of PayPal', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment', byPaypal);
    await page.answer('refused');
    const heard = await heardBy(shop, 'external.payment.failed');
    const message = 'The payment was canceled on the page of PayPal.';
    const failed = heard.find(({ type }) => type === 'external.payment.failed');
    expect(failed?.resource).toMatchObject({ code: 422, message, explain: message, external_payment_id: page.id });
    expect(await access(shop)).toBe(402);
  });

  test('200: two tabs open two pages, and only one of both takes money', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const first = await buyOnPage(app, shop, 'payment', byPaypal);
    const earlier = `UPDATE payments SET created_at = created_at - interval '1 minute' WHERE token = $1`;
    await app.pool.query(earlier, [first.id]);
    const second = await buyOnPage(app, shop, 'payment', byPaypal);
    await first.answer('approved');
    await second.answer('approved');
    await settles(app, second.id, 'paid');
    await settles(app, first.id, 'failed');
  });
});

describe('a subscription', () => {
  test('external.subscribe.success: renewals are paid at once, and never as a direct debit', async () => {
    const shop = await createRedirectShop(app, 'subscription', { quantity: 1, period: 'week' });
    const page = await buyOnPage(app, shop, 'subscription', byPaypal);
    await page.answer('approved');
    const heard = await heardBy(shop, 'subscribe.success');
    expect(heard.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['external.payment.success', 'external.subscribe.success', 'subscribe.success']),
    );
    await reaches(app, shop.consumer, page.id, 'active');
    await passDays(app, shop.merchant, 8);
    await charged(app, page.id, 'paid', '2:1');
    const { rows } = await app.pool.query(
      `SELECT c.amount_minor::int AS amount FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
       WHERE s.token = $1 AND c.status = 'paid' ORDER BY c.id`,
      [page.id],
    );
    const amount = Math.round(priceOf(shop) * 100);
    expect(rows).toEqual([{ amount }, { amount }]);
    expect(await access(shop)).toBe(200);
  });

  test('past_due: PayPal refuses a renewal, and a repeated payment is sent without a page', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription', byPaypal);
    await page.answer('approved_once');
    await reaches(app, shop.consumer, page.id, 'active');
    await changeCardOutcome(app, page, 'declined');
    await passDays(app, shop.merchant, 32);
    await reaches(app, shop.consumer, page.id, 'past_due');
    const { text } = await receives(app, shop.merchant, shop.consumer.email, 'payment_failed');
    expect(text).toContain('PayPal declined the payment.');
    const again = await requestChange(app, 'POST', `/subscriptions/${page.id}/retry`, {}, shop.consumer);
    expect(again).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
  });

  test('external.payment.failed: cancelled on the page of PayPal', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription', byPaypal);
    await page.answer('refused');
    const heard = await heardBy(shop, 'subscribe.failed');
    expect(heard.map(({ type }) => type)).toContain('external.payment.failed');
    await reaches(app, shop.consumer, page.id, 'incomplete_expired');
  });

  test('incomplete_expired: abandoned for a day, and the page takes no money any more', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription', byPaypal);
    await passDays(app, shop.merchant, 2);
    await reaches(app, shop.consumer, page.id, 'incomplete_expired');
    await page.answer('approved');
    expect(await access(shop)).toBe(402);
  });
});

describe('422 payment_method_not_offered', () => {
  const refusal = { status: 422, body: { error: 'payment_method_not_offered' } };

  test('the merchant has not enabled PayPal', async () => {
    const shop = await createRedirectShop(app, 'payment');
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'ideal'] }, shop.merchant);
    expect(await buy(app, shop, 'payment', byPaypal)).toMatchObject(refusal);
  });

  test('a currency that PayPal does not take, and a trial, because the page takes money', async () => {
    const dinars = await createRedirectShop(app, 'payment', { currency: 'RSD', amount: '450' });
    expect(await buy(app, dinars, 'payment', byPaypal)).toMatchObject(refusal);
    const shop = await createRedirectShop(app, 'subscription');
    await giveTrial(app, shop.fee.id, [7, 'day']);
    expect(await buy(app, shop, 'subscription', byPaypal)).toMatchObject(refusal);
  });
});
