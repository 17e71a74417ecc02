import { call } from '../../support/client';
import { createShop, reaches, type Shop, type SubscriptionRow, type Submitted } from '../../support/factories';
import { type HistoryPage } from '../../support/history';
import { wordsOf } from '../../support/receipts';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** Link, the wallet in the provider's form, with the sandbox: it is used like a card, without a number. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});

afterAll(() => app.stop());

const enable = ({ merchant }: Shop, ...names: string[]) =>
  call(app, 'PUT', '/accounts/settings', { payment_methods: names }, merchant);

async function createLinkShop(fee: Record<string, unknown> = {}): Promise<Shop> {
  const shop = await createShop(app, fee);
  await enable(shop, 'card', 'link');
  return shop;
}

const subscribeByLink = ({ fee, consumer }: Shop) =>
  call<Submitted>(app, 'POST', '/subscriptions', { access_fee: fee.id, payment_token: 'tok_link' }, consumer);

const methodsOf = async ({ consumer, item }: Shop) =>
  (await call<object[]>(app, 'GET', `/payments/methods?item_id=${item.id}`, undefined, consumer)).body;

test('200: it is listed for a merchant who has enabled it, and for no other', async () => {
  const shop = await createShop(app);
  const card = { id: 1, method_name: 'Card', is_external: false };
  expect(await methodsOf(shop)).toEqual([card]);
  await enable(shop, 'card', 'link');
  expect(await methodsOf(shop)).toEqual([card, { id: 12, method_name: 'Link', is_external: false }]);
});

test('422 payment_method_not_offered: a merchant who has not enabled it', async () => {
  const shop = await createShop(app);
  expect(await subscribeByLink(shop)).toMatchObject({ status: 422, body: { error: 'payment_method_not_offered' } });
  const put = { payment_token: 'tok_link', currency_iso: 'EUR' };
  const reply = await call(app, 'PUT', '/v2/payments/cards/default', put, shop.consumer);
  expect(reply).toMatchObject({ status: 422, body: { error: 'payment_method_not_offered' } });
});

test('202: it pays the first period and the renewals, and is named Link everywhere', async () => {
  const shop = await createLinkShop();
  const { consumer, merchant } = shop;
  const { body } = await subscribeByLink(shop);
  const { subscription_id: id } = body;
  await reaches(app, consumer, id, 'active');
  await passDays(app, merchant, 32);
  const historyOf = async () =>
    (await call<HistoryPage>(app, 'GET', '/v2/accounting/payment-history', undefined, consumer)).body.collection;
  const rows = await until(async () => {
    const found = await historyOf();
    return found.length === 2 ? found : undefined;
  });
  expect(rows).toMatchObject([{ payment_method_name: 'Link' }, { payment_method_name: 'Link' }]);
  const row = await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, consumer);
  expect(row.body).toMatchObject({ payment_method_name: 'Link', payment_tool_info: '' });
  const purchases = await call(app, 'GET', '/items/access/customers', undefined, consumer);
  expect(purchases.body).toMatchObject({ collection: [{ payment_method: 'Link', payment_tool: 'Link' }] });
  const receipt = await fetch(`${app.address}/v2/accounting/transactions/${rows[0]?.trx_token}/receipt`, {
    headers: { Authorization: `Bearer ${consumer.token}` },
  });
  expect(await wordsOf(receipt)).toMatch(/\bLink\b/);
});

test('200: it becomes the default in its currency, without digits and without an expiry date', async () => {
  const shop = await createLinkShop();
  const put = { payment_token: 'tok_link', currency_iso: 'EUR' };
  expect((await call(app, 'PUT', '/v2/payments/cards/default', put, shop.consumer)).status).toBe(200);
  const { body } = await call(app, 'GET', '/v2/payments/cards/default', undefined, shop.consumer);
  expect(body).toMatchObject({ cards: { EUR: { number: 0, card_type: 'link', exp_month: '', exp_year: '' } } });
  const bought = await call<Submitted>(app, 'POST', '/subscriptions', { access_fee: shop.fee.id }, shop.consumer);
  await reaches(app, shop.consumer, bought.body.subscription_id, 'active');
});

test('202: a trial saves it, and it pays when the trial ends', async () => {
  const shop = await createLinkShop({ trial_period_quantity: 7, trial_period_period: 'day' });
  const { body } = await subscribeByLink(shop);
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  await passDays(app, shop.merchant, 8);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});
