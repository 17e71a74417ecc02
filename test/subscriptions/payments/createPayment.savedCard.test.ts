import { call } from '../../support/client';
import { card, pathOf } from '../../support/checkout';
import { cards, createFee, createItem, createShop, type Shop } from '../../support/factories';
import { type PageWalker } from '../../support/pageWalker';
import { confirmByMail, openCheckout, payBySavedCard, question, saveCard } from '../../support/savedCards';
import { giveTrial } from '../../support/scenarios';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The first use of a saved card in a browser. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
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

/** Buys by a card that is entered in the browser, and waits for the outcome. */
async function payByNewCard(walker: PageWalker, shop: Shop, number: string, ends: string): Promise<void> {
  await walker.submit(`${pathOf(shop)}/pay`, { ...card, number, do: 'pay', fee: String(shop.fee.id), card: 'new' });
  const state = 'SELECT state FROM payments WHERE account_id = $1 ORDER BY id DESC LIMIT 1';
  await until(async () => {
    const { rows } = await app.pool.query<{ state: string }>(state, [shop.consumer.id]);
    return rows[0]?.state === ends;
  });
}

/** Whether the default card of the account was typed in a browser. */
async function defaultHasBrowser(accountId: number): Promise<boolean | undefined> {
  const text = `SELECT k.browser_hash IS NOT NULL AS typed FROM default_cards d JOIN cards k ON k.id = d.card_id
    WHERE d.account_id = $1`;
  return (await app.pool.query<{ typed: boolean }>(text, [accountId])).rows[0]?.typed;
}

async function stateOfSubscription(accountId: number): Promise<string | undefined> {
  const text = 'SELECT state FROM subscriptions WHERE account_id = $1';
  return (await app.pool.query<{ state: string }>(text, [accountId])).rows[0]?.state;
}

const another = { ...onceOnly, amount: '9.00', description: 'Another pass' };

test('200: the browser in which the card was typed and has paid is not asked', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  await payByNewCard(walker, shop, cards.success, 'paid');
  const fee = await createFee(app, shop.merchant, shop.item.id, another);
  expect((await payBySavedCard(walker, { ...shop, fee })).text).not.toContain(question);
});

test('200: the same card that was saved once more elsewhere is not asked for where it was typed and has paid', async () => {
  const shop = await createShop(app, onceOnly);
  const walker = await openCheckout(app, shop);
  await payByNewCard(walker, shop, cards.success, 'paid');
  // An app saves the number again: a row of its own, which is the default from then on.
  await saveCard(app, shop);
  expect(await defaultHasBrowser(shop.consumer.id)).toBe(false);
  const fee = await createFee(app, shop.merchant, shop.item.id, another);
  expect((await payBySavedCard(walker, { ...shop, fee })).text).not.toContain(question);
});

test('200: a card that was typed for a trial, and verified without a charge, is not asked for', async () => {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const walker = await openCheckout(app, shop);
  await walker.submit(`${pathOf(shop)}/pay`, { ...card, do: 'pay', fee: String(shop.fee.id), card: 'new' });
  await until(async () => (await stateOfSubscription(shop.consumer.id)) === 'trialing');
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, onceOnly);
  expect((await payBySavedCard(walker, { ...shop, item, fee })).text).not.toContain(question);
  expect(await paymentsOf(shop.consumer.id)).toBe(1);
});

test('409 card_confirmation_required: a card that was typed and declined opens no saved card', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  await payByNewCard(walker, shop, cards.declined, 'failed');
  const fee = await createFee(app, shop.merchant, shop.item.id, another);
  await walker.open(pathOf(shop));
  expect((await payBySavedCard(walker, { ...shop, fee })).text).toContain(question);
});

test('409 card_confirmation_required: a charge of 0 proves no card', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const walker = await openCheckout(app, shop);
  await payByNewCard(walker, shop, cards.success, 'paid');
  await app.pool.query('UPDATE charges SET amount_minor = 0 WHERE account_id = $1', [shop.consumer.id]);
  const fee = await createFee(app, shop.merchant, shop.item.id, another);
  await walker.open(pathOf(shop));
  expect((await payBySavedCard(walker, { ...shop, fee })).text).toContain(question);
});

test('409 card_confirmation_required: another card that has paid opens no saved card', async () => {
  const shop = await createShop(app, onceOnly);
  const walker = await openCheckout(app, shop);
  await payByNewCard(walker, shop, '4111111111111111', 'paid');
  // The owner saves a card elsewhere, which is the default from then on.
  await saveCard(app, shop);
  const fee = await createFee(app, shop.merchant, shop.item.id, another);
  await walker.open(pathOf(shop));
  expect((await payBySavedCard(walker, { ...shop, fee })).text).toContain(question);
});

test('200: an app pays with the saved card as before', async () => {
  const shop = await createShop(app, onceOnly);
  await saveCard(app, shop);
  const fields = { access_fee: shop.fee.id, payment_method: 1 };
  expect((await call(app, 'POST', '/v2/payments', fields, shop.consumer)).status).toBe(200);
});
