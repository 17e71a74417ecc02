import { call } from '../support/client';
import { createFee, createShop } from '../support/factories';
import { dayAhead, live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: what moves the revenue of a month, from where it opens to where it closes', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const dear = await createFee(app, shop.merchant, shop.item.id, { amount: '15.00' });
  await live(
    await startStory(app, shop),
    [
      ['begin', 0],
      ['switch', 40],
      ['cancel', 80],
    ],
    dear.id,
  );
  const path = `/reporting/mrr?interval=month&from=${dayAhead(0)}&to=${dayAhead(80)}`;
  const { status, body } = await call<{ collection: Record<string, unknown>[] }>(
    app,
    'GET',
    path,
    undefined,
    shop.merchant,
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({ from: dayAhead(0), to: dayAhead(80), interval: 'month' });
  const moved = (name: string) => body.collection.map((row) => row[name]).filter((amount) => amount !== 0);
  expect(['new', 'expansion', 'churn_voluntary', 'churn'].map(moved)).toEqual([[10], [5], [-15], [-15]]);
  expect([body.collection[0]?.['opening'], body.collection.at(-1)?.['closing']]).toEqual([0, 0]);
  expect(body.collection[0]).toMatchObject({ currency: 'EUR', period: `${dayAhead(0).slice(0, 7)}-01`, arr: 120 });
});

test('200: currencies are told apart, and each can be asked for', async () => {
  const shop = await createShop(app, { amount: '10.00' });
  const { merchant } = shop;
  const yen = await createShop(app, { amount: 1000, currency: 'JPY' });
  await live(await startStory(app, shop), [['begin', 0]]);
  await live(await startStory(app, yen), [['begin', 0]]);
  const range = `from=${dayAhead(0)}&to=${dayAhead(0)}`;
  const inYen = await call(app, 'GET', `/reporting/mrr?${range}`, undefined, yen.merchant);
  expect(inYen.body).toMatchObject({ collection: [{ currency: 'JPY', closing: 1000 }] });
  const inEuro = await call(app, 'GET', `/reporting/mrr?${range}&currency=eur`, undefined, merchant);
  expect(inEuro.body).toMatchObject({ collection: [{ currency: 'EUR', closing: 10 }] });
  const none = await call(app, 'GET', `/reporting/mrr?${range}&currency=JPY`, undefined, merchant);
  expect(none.body).toMatchObject({ collection: [] });
});

test('422 invalid_input: a range that ends before it begins, or that is too long', async () => {
  const { merchant } = await createShop(app);
  const backwards = `/reporting/mrr?from=${dayAhead(1)}&to=${dayAhead(0)}`;
  const endless = `/reporting/mrr?from=1950-01-01&to=${dayAhead(0)}`;
  expect(await call(app, 'GET', backwards, undefined, merchant)).toMatchObject({
    status: 422,
    body: { errors: { to: 'The to must not be before the from.' } },
  });
  expect(await call(app, 'GET', endless, undefined, merchant)).toMatchObject({ status: 422 });
});
