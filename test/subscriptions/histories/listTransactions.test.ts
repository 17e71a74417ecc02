import { call } from '../../support/client';
import { createConsumer, createFee, createItem, createMerchant } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { createHistory, kindsOf, type History, type HistoryPage } from '../../support/history';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let history: History;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  history = await createHistory(app);
});

afterAll(() => app.stop());

type Page = HistoryPage & { unique_paying_customers: number };

const list = (query = '') =>
  call<Page>(app, 'GET', `/payments/transactions?${query}`, undefined, history.shop.merchant);
describe('what customers paid and got back', () => {
  test('200: newest first, with the number of those who paid', async () => {
    const { body } = await list('exclude=store-payment&size=10&page=0');
    expect(kindsOf(body)).toEqual([
      ['charge', 4.5],
      ['recurrent', 9.99],
      ['refund', 1.5],
      ['charge', 4.5],
    ]);
    expect([body.total, body.unique_paying_customers]).toEqual([4, 2]);
    expect(body.collection[0]).toMatchObject({
      trx_token: history.gift,
      transaction_token: history.gift,
      consumer_email: history.other.email,
      item_title: 'Cup final',
      access_fee_description: 'Two days',
      currency_iso: 'EUR',
      payment_tool_info: '4242',
      gift: {
        buyer_email: history.other.email,
        receiver_email: 'x@example.org',
        code: expect.stringMatching(/^[A-Z\d]{12}$/) as unknown,
      },
    });
    expect(body.collection[1]).toMatchObject({ transaction_token: history.subscription, gift: null });
    expect(body.collection[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('200: a gift’s code is masked for whoever may not read gifts', async () => {
    const master = await createMerchant(app);
    const desk = await createFollower(app, master, ['items:write', 'items:read', 'payments:read']);
    const consumer = await createConsumer(app, desk);
    const item = await createItem(app, desk);
    const fee = await createFee(app, desk, item.id, { access_type: 'ppv', quantity: 2, period: 'day' });
    const shop = { merchant: desk, consumer, item, fee };
    await paid(app, shop, undefined, { is_gift: true, receiver_email: 'x@example.org' });
    const { body } = await call<Page>(app, 'GET', '/payments/transactions', undefined, desk);
    expect(body.collection).toMatchObject([{ gift: { code: expect.stringMatching(/^\*{4}[A-Z\d]{4}$/) as unknown } }]);
  });

  test('200: page by page', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => list(`size=2&page=${page}`)));
    const tokens = pages.flatMap(({ body }) => body.collection.map(({ trx_token }) => trx_token));
    const whole = await list();
    expect(tokens).toEqual(whole.body.collection.map(({ trx_token }) => trx_token));
    expect(new Set(tokens).size).toBe(4);
  });

  test.each([
    ['gift-payment', [['charge', 4.5]]],
    ['charge', [['charge', 4.5]]],
    ['recurrent', [['recurrent', 9.99]]],
    ['refund', [['refund', 1.5]]],
    ['external', []],
  ])('200: of the type %s', async (type, expected) => {
    const { body } = await list(`type=${type}`);
    expect(kindsOf(body)).toEqual(expected);
    expect(body.total).toBe(expected.length);
  });

  test('200: of some days, the last one included', async () => {
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    expect((await list(`startDate=${day(-1)}&endDate=${day(0)}`)).body.total).toBe(4);
    expect((await list(`startDate=${day(-2)}&endDate=${day(-1)}`)).body.total).toBe(0);
    expect((await list(`startDate=${day(1)}`)).body.total).toBe(0);
  });
});

test('422 invalid_input: the last day before the first', async () => {
  const reply = await list('startDate=2026-02-01&endDate=2026-01-01');
  expect(reply).toMatchObject({ status: 422, body: { errors: { endDate: expect.any(String) as string } } });
});

test('200: another merchant sees none of it', async () => {
  const stranger = await createPayShop(app);
  const { body } = await call<Page>(app, 'GET', '/payments/transactions', undefined, stranger.merchant);
  expect(body).toMatchObject({ total: 0, unique_paying_customers: 0, collection: [] });
});
