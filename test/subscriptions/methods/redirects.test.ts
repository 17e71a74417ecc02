import { call, listen } from '../../support/client';
import { charged } from '../../support/debits';
import { reaches, subscribe, type Shop } from '../../support/factories';
import { findPaymentFaults, pay, refund, refunded, settles } from '../../support/payments';
import { buy, buyOnPage, createRedirectShop } from '../../support/redirects';
import { wordsOf } from '../../support/receipts';
import { giveTrial } from '../../support/scenarios';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays, passPeriod } from '../../support/testClock';

/** iDEAL and Bancontact at the sandbox: the payer pays on a page of the bank, fails there, or leaves it. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const access = async ({ item, consumer }: Pick<Shop, 'item' | 'consumer'>) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

const own = (path: string, { consumer }: Pick<Shop, 'consumer'>) =>
  call<Record<string, unknown>>(app, 'GET', path, undefined, consumer);

async function readHistory({ consumer }: Pick<Shop, 'consumer'>) {
  const reply = await call<{ collection: Record<string, unknown>[] }>(
    app,
    'GET',
    '/v2/accounting/payment-history',
    undefined,
    consumer,
  );
  return reply.body.collection;
}

async function readReceipt({ consumer }: Pick<Shop, 'consumer'>, trxToken: string) {
  const headers = { Authorization: `Bearer ${consumer.token}` };
  return wordsOf(await fetch(`${app.address}/v2/accounting/transactions/${trxToken}/receipt`, { headers }));
}

describe('a one-time payment', () => {
  test('payment.ideal.success: paid on the page, and the browser comes back with the reference', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment');
    expect(await access(shop)).toBe(402);
    const shown = await call<string>(app, 'GET', new URL(page.redirectTo).pathname);
    expect(shown.status).toBe(200);
    expect(shown.body).toContain('Pay with iDEAL');
    const channel = await listen(app, shop.consumer);
    const { status, headers } = await page.answer('approved');
    expect(status).toBe(303);
    const back = new URL(headers.get('location') ?? '');
    expect(back.searchParams.get('payment_intent')).toBe(page.pi);
    expect(back.searchParams.get('ippwat')).toBe('ppv');
    const { resource } = await channel.hears('payment.ideal.success');
    expect(resource).toMatchObject({ transaction: page.id, amount: '4.50', payment_method: 'ideal' });
    await channel.close();
    expect(await access(shop)).toBe(200);
    const [entry] = await readHistory(shop);
    expect(entry).toMatchObject({ payment_method_name: 'Ideal', payment_tool_info: '', charged_amount: 4.5 });
    expect(await readReceipt(shop, String(entry?.['trx_token']))).toMatch(/^Paid by\s+iDEAL$/m);
  });

  test('payment.card.success: Bancontact has the events of cards', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment', { payment_method: 'Bancontact' });
    expect((await call<string>(app, 'GET', new URL(page.redirectTo).pathname)).body).toContain('Pay with Bancontact');
    const channel = await listen(app, shop.consumer);
    await page.answer('approved');
    await channel.hears('payment.card.success');
    await channel.close();
    expect(await findPaymentFaults(app.pool, page.id)).toEqual([]);
  });

  test('payment.ideal.failed: cancelled on the page, and paid by a second payment', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment');
    const channel = await listen(app, shop.consumer);
    await page.answer('refused');
    expect((await channel.hears('payment.ideal.failed')).resource).toMatchObject({ transaction: page.id, code: 422 });
    await channel.close();
    expect(await access(shop)).toBe(402);
    const second = await buyOnPage(app, shop, 'payment');
    await second.answer('approved');
    await settles(app, second.id, 'paid');
    expect(await access(shop)).toBe(200);
  });

  test('200: who comes back twice, before or after the report of the bank, pays once', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment');
    expect(await page.comeBack()).toMatchObject({ status: 200, body: { transaction: page.id } });
    await page.answer('approved');
    await page.answer('refused');
    expect((await page.comeBack()).status).toBe(200);
    expect((await page.comeBack()).status).toBe(200);
    await settles(app, page.id, 'paid');
    const channel = await listen(app, { ...shop.consumer, lastEventId: 0 });
    await channel.hears('payment.ideal.success');
    await channel.close();
    expect(channel.heard.filter(({ type }) => type === 'payment.ideal.success')).toHaveLength(1);
    expect(channel.heard.filter(({ type }) => type === 'access.granted')).toHaveLength(1);
  });

  test('404 payment_not_found: a stranger cannot come back for the payer', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const { pi } = await buyOnPage(app, shop, 'payment');
    const { consumer: stranger } = await createRedirectShop(app, 'payment');
    const reply = await call(app, 'POST', '/payments', { pi_id: pi }, stranger);
    expect(reply).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
  });

  test('payment.card.success: who leaves the page pays by card, and the page takes no money any more', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment');
    await app.pool.query(`UPDATE payments SET created_at = created_at - interval '1 minute' WHERE token = $1`, [
      page.id,
    ]);
    const { body } = await pay(app, shop);
    await settles(app, body.transaction, 'paid');
    await settles(app, page.id, 'failed');
    const late = await page.answer('approved');
    expect(late.status).toBe(303);
    expect(await readHistory(shop)).toHaveLength(1);
  });

  test('200: a second tab opens another page, and only one of both takes money', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const first = await buyOnPage(app, shop, 'payment');
    await app.pool.query(`UPDATE payments SET created_at = created_at - interval '1 minute' WHERE token = $1`, [
      first.id,
    ]);
    const second = await buyOnPage(app, shop, 'payment');
    expect(second.id).not.toBe(first.id);
    await first.answer('approved');
    await second.answer('approved');
    await settles(app, second.id, 'paid');
    await settles(app, first.id, 'failed');
    expect(await readHistory(shop)).toHaveLength(1);
  });

  test('200: a double click is one payment with one page', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const replies = await Promise.all([buy(app, shop, 'payment'), buy(app, shop, 'payment')]);
    expect(new Set(replies.map(({ body }) => body.transaction)).size).toBe(1);
  });

  test('payment.ideal.failed: abandoned for a day of the test clock, and the page takes no money any more', async () => {
    const shop = await createRedirectShop(app, 'payment');
    await passDays(app, shop.merchant, 400);
    const page = await buyOnPage(app, shop, 'payment');
    await passDays(app, shop.merchant, 0.5);
    const { rows } = await app.pool.query('SELECT state FROM payments WHERE token = $1', [page.id]);
    expect(rows).toEqual([{ state: 'incomplete' }]);
    const channel = await listen(app, shop.consumer);
    await passDays(app, shop.merchant, 0.6);
    expect((await channel.hears('payment.ideal.failed')).resource).toMatchObject({ transaction: page.id });
    await channel.close();
    await settles(app, page.id, 'failed');
    await page.answer('approved');
    expect(await readHistory(shop)).toEqual([]);
    expect(await access(shop)).toBe(402);
  });

  test('200: the payment is refunded', async () => {
    const shop = await createRedirectShop(app, 'payment');
    const page = await buyOnPage(app, shop, 'payment');
    await page.answer('approved');
    await settles(app, page.id, 'paid');
    const [{ trx_token: trxToken = '' } = {}] = await readHistory(shop);
    expect((await refund(app, shop.merchant, String(trxToken))).status).toBe(200);
    expect(await refunded(app, String(trxToken))).toMatchObject([{ amount: 450 }]);
  });
});

describe('a subscription', () => {
  test('ideal.subscribe.success: the page pays the first period, and direct debits pay the next ones', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription');
    const channel = await listen(app, shop.consumer);
    await page.answer('approved');
    await channel.hears('ideal.subscribe.success');
    await channel.close();
    await reaches(app, shop.consumer, page.id, 'active');
    const shown = await own(`/subscriptions/${page.id}`, shop);
    expect(shown.body).toMatchObject({ payment_method_name: 'Ideal', payment_tool_info: '3000' });
    const [entry] = await readHistory(shop);
    expect(await readReceipt(shop, String(entry?.['trx_token']))).toContain('iDEAL ending in 3000');
    await passPeriod(app, shop, page.id, 2);
    await charged(app, page.id, 'processing', '2:1');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 6);
    await charged(app, page.id, 'paid', '2:1');
    expect(await access(shop)).toBe(200);
  });

  test('past_due: a later debit that fails is collected again', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription', { payment_method: 'bancontact' });
    await page.answer('approved_once');
    await reaches(app, shop.consumer, page.id, 'active');
    await passPeriod(app, shop, page.id, 2);
    await charged(app, page.id, 'processing', '2:1');
    await passDays(app, shop.merchant, 5);
    await reaches(app, shop.consumer, page.id, 'past_due');
  });

  test('ideal.subscribe.failed: cancelled on the page', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription');
    const channel = await listen(app, shop.consumer);
    await page.answer('refused');
    await channel.hears('ideal.subscribe.failed');
    await channel.close();
    await reaches(app, shop.consumer, page.id, 'incomplete_expired');
  });

  test('incomplete_expired: abandoned for a day, and the page takes no money any more', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription');
    await passDays(app, shop.merchant, 2);
    await reaches(app, shop.consumer, page.id, 'incomplete_expired');
    await page.answer('approved');
    expect(await readHistory(shop)).toEqual([]);
    expect(await access(shop)).toBe(402);
  });

  test('202: another submission replaces the one whose page was left', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    const page = await buyOnPage(app, shop, 'subscription');
    const { body } = await subscribe(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await reaches(app, shop.consumer, page.id, 'incomplete_expired');
  });
});

describe('422 payment_method_not_offered', () => {
  const refusal = { status: 422, body: { error: 'payment_method_not_offered' } };

  test('the merchant has not enabled the method', async () => {
    const shop = await createRedirectShop(app, 'payment');
    await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'bancontact'] }, shop.merchant);
    expect(await buy(app, shop, 'payment')).toMatchObject(refusal);
  });

  test('a price in another currency, and a plan that renews before a debit is decided', async () => {
    const dollars = await createRedirectShop(app, 'payment', { currency: 'USD' });
    expect(await buy(app, dollars, 'payment')).toMatchObject(refusal);
    const weekly = await createRedirectShop(app, 'subscription', { quantity: 1, period: 'week' });
    expect(await buy(app, weekly, 'subscription')).toMatchObject(refusal);
  });

  test('a trial, because a page takes money', async () => {
    const shop = await createRedirectShop(app, 'subscription');
    await giveTrial(app, shop.fee.id, [7, 'day']);
    expect(await buy(app, shop, 'subscription')).toMatchObject(refusal);
    const { rows } = await app.pool.query('SELECT 1 FROM subscriptions WHERE account_id = $1', [shop.consumer.id]);
    expect(rows).toEqual([]);
  });
});

test('200: the methods that can pay for an item are listed', async () => {
  const list = async (shop: Shop, query = '') =>
    (await call<{ method_name: string }[]>(app, 'GET', `/payments/methods${query}`, undefined, shop.consumer)).body.map(
      ({ method_name: name }) => name,
    );
  const shop = await createRedirectShop(app, 'subscription');
  expect(await list(shop)).toEqual(['Card', 'PayPal', 'Ideal', 'Bancontact']);
  expect(await list(shop, `?item_id=${shop.item.id}`)).toEqual(['Card', 'PayPal', 'Ideal', 'Bancontact']);
  const weekly = await createRedirectShop(app, 'subscription', { quantity: 1, period: 'week' });
  expect(await list(weekly, `?item_id=${weekly.item.id}`)).toEqual(['Card', 'PayPal']);
});
