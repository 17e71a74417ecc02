import { call, requestChange } from '../support/client';
import { accounts, createDebitShop, subscribeByDebit } from '../support/debits';
import { createShop, reaches, subscribe, type Shop } from '../support/factories';
import { tokenOfCharge } from '../support/ledger';
import { owedRenewal } from '../support/owedRenewal';
import { createPayShop, payWithAuthentication, refund, refunded, settles } from '../support/payments';
import { buyOnPage, createRedirectShop } from '../support/redirects';
import { startApp, type TestApp } from '../support/startApp';
import { queryBooks } from '../support/providerBooks';
import { nameNetSeller, seller, taxedCharges } from '../support/tax';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** The provider is asked for the total of a price without tax, by whatever method and at whatever moment. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const whole = { net: 1000, tax: 190, gross: 1190, status: 'paid' };
const paidCharges = (shop: Shop, count = 1) =>
  until(async () => {
    const rows = (await taxedCharges(app, shop.merchant)).filter(({ status }) => status === 'paid');
    return rows.length === count && rows;
  });

/** What the provider took for a purchase, by its own books. */
const taken = async (token: string) => {
  const text = `SELECT amount_minor::int AS amount FROM sandbox_charges WHERE idempotency_key LIKE $1 AND status = 'paid'`;
  return (await queryBooks<{ amount: number }>(app.pool, text, [`${token}%`])).rows.map(({ amount }) => amount);
};

const sums = (net_amount: number, tax_amount: number, gross_amount: number) => ({
  net_amount,
  tax_amount,
  gross_amount,
});

/** The sums of the invoices of a merchant. */
async function invoiced({ merchant }: Shop) {
  const { body } = await call<{ collection: ReturnType<typeof sums>[] }>(
    app,
    'GET',
    '/payments/invoices',
    undefined,
    merchant,
  );
  return body.collection.map(({ net_amount, tax_amount, gross_amount }) => sums(net_amount, tax_amount, gross_amount));
}

test('a direct debit', async () => {
  const shop = await createDebitShop(app, accounts.paid, { fee: { amount: '10.00' } });
  await nameNetSeller(app, shop);
  const { body } = await subscribeByDebit(app, shop);
  await until(async () => (await taxedCharges(app, shop.merchant))[0]?.status === 'processing');
  await passDays(app, shop.merchant, 6);
  expect(await paidCharges(shop)).toMatchObject([whole]);
  expect(await taken(body.subscription_id)).toEqual([1190]);
});

test('a payment on the page of a bank', async () => {
  const shop = await createRedirectShop(app, 'payment', { amount: '10.00' });
  await nameNetSeller(app, shop);
  const waiting = await buyOnPage(app, shop, 'payment');
  await waiting.answer('approved');
  expect(await paidCharges(shop)).toMatchObject([whole]);
  expect(await taken(waiting.id)).toEqual([1190]);
});

test('PayPal: the page of the provider, each charge and each invoice have the total', async () => {
  const shop = await createRedirectShop(app, 'subscription', { amount: '10.00', quantity: 1, period: 'week' });
  await nameNetSeller(app, shop);
  const waiting = await buyOnPage(app, shop, 'subscription', { payment_method: 'paypal' });
  expect((await call<string>(app, 'GET', new URL(waiting.redirectTo).pathname)).body).toContain('11.90');
  await waiting.answer('approved');
  await reaches(app, shop.consumer, waiting.id, 'active');
  await passDays(app, shop.merchant, 8);
  expect(await paidCharges(shop, 2)).toMatchObject([whole, whole]);
  expect(await taken(waiting.id)).toEqual([1190, 1190]);
  expect(await invoiced(shop)).toEqual([sums(10, 1.9, 11.9), sums(10, 1.9, 11.9)]);
});

test('the link of a declined renewal: the page shows the total, and the saved card pays it', async () => {
  const { shop, id, path } = await owedRenewal(app, 'success', (shop) => nameNetSeller(app, shop));
  expect((await call<string>(app, 'GET', path)).body).toContain('Pay €11.89');
  expect((await call(app, 'POST', path)).status).toBe(303);
  await reaches(app, shop.consumer, id, 'active');
  const part = { net: 999, tax: 190, gross: 1189 };
  expect(await paidCharges(shop, 2)).toMatchObject([part, part]);
  expect(await taken(id)).toEqual([1189, 1189]);
  expect(await invoiced(shop)).toEqual([sums(9.99, 1.9, 11.89), sums(9.99, 1.9, 11.89)]);
});

test('a payment that the payer authenticates after the address has changed keeps its total and its tax', async () => {
  const shop = await createPayShop(app, { amount: '10.00' });
  await nameNetSeller(app, shop);
  const waiting = await payWithAuthentication(app, shop);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  await call(app, 'PUT', '/v2/tax/settings', seller, shop.merchant);
  await waiting.answer('approved');
  await settles(app, waiting.id, 'paid');
  expect(await taxedCharges(app, shop.merchant)).toMatchObject([{ ...whole, country: 'DE' }]);
});

test('the first charge after a pause, and a refund of it', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  await nameNetSeller(app, shop);
  const { body } = await subscribe(app, shop);
  const id = body.subscription_id;
  await reaches(app, shop.consumer, id, 'active');
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer)).status).toBe(200);
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, id, 'paused');
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/resume`, {}, shop.consumer)).status).toBe(200);
  expect(await paidCharges(shop, 2)).toMatchObject([whole, whole]);
  const token = await tokenOfCharge(app, `${id}:2:1`);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const { rows } = await app.pool.query(
    'SELECT net_minor::int AS net, tax_minor::int AS tax FROM refund_taxes WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  expect(rows).toEqual([{ net: 1000, tax: 190 }]);
});
