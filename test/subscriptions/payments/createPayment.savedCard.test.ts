import { call } from '../../support/client';
import { card, pathOf } from '../../support/checkout';
import { createFee, createShop } from '../../support/factories';
import { confirmByMail, openCheckout, payBySavedCard, question, saveCard } from '../../support/savedCards';
import { startApp, type TestApp } from '../../support/startApp';

/** The first use of a saved card in a browser. No worker runs here: nothing is charged. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const onceOnly = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Weekend pass' };
const paymentsOf = async (id: number) =>
  (await app.pool.query('SELECT FROM payments WHERE account_id = $1', [id])).rowCount;

test('409 card_confirmation_required: a browser in which the card was never used asks for a mailed code, once', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  const asked = await payBySavedCard(walker, shop);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  expect(await paymentsOf(shop.consumer.id)).toBe(0);
  expect((await confirmByMail(app, walker, shop)).text).toContain('Checkout');
  expect((await payBySavedCard(walker, shop)).text).not.toContain(question);
  expect(await paymentsOf(shop.consumer.id)).toBe(1);
  const elsewhere = await openCheckout(app, shop);
  const fee = await createFee(app, shop.merchant, shop.item.id, { ...onceOnly, amount: '9.00' });
  expect((await payBySavedCard(elsewhere, { ...shop, fee })).status).toBe(409);
});

test('200: the browser in which the card was typed is not asked', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  await walker.submit(`${pathOf(shop)}/pay`, { ...card, do: 'pay', fee: String(shop.fee.id), card: 'new' });
  expect((await payBySavedCard(walker, shop)).text).not.toContain(question);
});

test('200: an app pays with the saved card as before', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const fields = { access_fee: shop.fee.id, payment_method: 1 };
  expect((await call(app, 'POST', '/v2/payments', fields, shop.consumer)).status).toBe(200);
});
