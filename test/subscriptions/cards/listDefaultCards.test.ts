import { call } from '../../support/client';
import { cards } from '../../support/factories';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '30', cvv: '123' };
const path = '/v2/payments/cards/default';

test('200: the card of each currency, by its last four digits', async () => {
  const { consumer } = await createPayShop(app);
  expect((await call(app, 'GET', path, undefined, consumer)).body).toEqual({ cards: {} });
  await call(app, 'PUT', path, { ...card, currency_iso: 'eur' }, consumer);
  await call(app, 'PUT', path, { ...card, number: '4111111111111111', currency_iso: 'USD' }, consumer);
  const shown = {
    card_name: 'Ana Petrova',
    exp_month: '02',
    exp_year: '2030',
    card_type: 'visa',
    account_id: consumer.id,
  };
  expect((await call(app, 'GET', path, undefined, consumer)).body).toEqual({
    cards: {
      EUR: { number: 4242, currency: 'EUR', ...shown },
      USD: { number: 1111, currency: 'USD', ...shown },
    },
  });
});
