import { createShop } from '../support/factories';
import { confirmByMail, openCheckout, payBySavedCard, question, saveCard } from '../support/savedCards';
import { startApp, type TestApp } from '../support/startApp';

/** The first use of a saved card in a browser. No worker runs here: nothing is charged. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('409 card_confirmation_required: a browser in which the card was never used asks for a mailed code', async () => {
  const shop = await createShop(app);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  const asked = await payBySavedCard(walker, shop);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  const { rowCount } = await app.pool.query('SELECT FROM subscriptions WHERE account_id = $1', [shop.consumer.id]);
  expect(rowCount).toBe(0);
  await confirmByMail(app, walker, shop);
  expect((await payBySavedCard(walker, shop)).text).not.toContain(question);
});
