import { call } from '../../support/client';
import { cards } from '../../support/factories';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '30', cvv: '123' };
test('200: the stored cards for the oldest clients, each once', async () => {
  const { consumer } = await createPayShop(app);
  for (const currency of ['EUR', 'USD'])
    await call(app, 'PUT', '/v2/payments/cards/default', { ...card, currency_iso: currency }, consumer);
  const { status, body } = await call<object[]>(app, 'GET', '/payments/method/1/tools', undefined, consumer);
  expect(status).toBe(200);
  expect(body).toMatchObject([{ number: 4242, card_type: 'visa', is_default: true }]);
});

test('404 not_found: a method that has none', async () => {
  const { consumer } = await createPayShop(app);
  expect((await call(app, 'GET', '/payments/method/2/tools', undefined, consumer)).status).toBe(404);
});
