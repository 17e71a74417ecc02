import { balanceOf } from '../../support/balances';
import { requestChange } from '../../support/client';
import { charged, createMandate, offerDebits, payByDebit } from '../../support/debits';
import { createFee, createItem, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { journalFaults } from '../../support/journal';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** The merchant refunds a payment in Stripe's dashboard while a direct debit uses the credit of that payment. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

interface Holding {
  shop: Shop;
  /** The subscription whose first payment has become credit. */
  token: string;
  /** The payment that a bank has not decided on. */
  debit: string;
}

const balance = ({ shop }: Holding) => balanceOf(app, shop.consumer.id);

/** A year for 100 that was switched to a month for 1, and a debit that uses the credit of 99. */
async function createHolding(iban: string): Promise<Holding> {
  const shop = await createShop(app, { amount: '100', period: 'year' });
  const month = await createFee(app, shop.merchant, shop.item.id, { amount: '1', period: 'month' });
  const token = (await subscribe(app, shop)).body.subscription_id;
  await reaches(app, shop.consumer, token, 'active');
  const fields = { access_fee_id: month.id, mode: 'now' };
  expect((await requestChange(app, 'POST', `/subscriptions/${token}/switch`, fields, shop.consumer)).status).toBe(200);
  expect(await balanceOf(app, shop.consumer.id)).toBe(9_900);
  await offerDebits(app, shop);
  await createMandate(app, shop, iban);
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, {
    ...{ access_type: 'ppv', quantity: 60, period: 'day' },
    amount: '120',
  });
  const debit = (await payByDebit(app, { ...shop, item, fee })).body.transaction;
  await charged(app, debit, 'processing');
  const holding = { shop, token, debit };
  expect(await balance(holding)).toBe(0);
  return holding;
}

/** An amount in cents. */
async function refundInDashboard({ token }: Holding, amount: number, type = 'charge.refunded'): Promise<string> {
  const { id } = await intentOf(app.stripe, token);
  const body = new URLSearchParams({ payment_intent: id, amount: String(amount) });
  expect((await fetch(`${app.stripe.url}/v1/refunds`, { method: 'POST', body })).status).toBe(200);
  expect((await notify(app, { type, object: { id: 'ch_1', payment_intent: id } })).status).toBe(200);
  return id;
}

async function decide({ debit }: Holding, type: 'payment_intent.succeeded' | 'payment_intent.payment_failed') {
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, debit);
  expect((await notify(app, { type, object: { id } })).status).toBe(200);
  await charged(app, debit, type === 'payment_intent.succeeded' ? 'paid' : 'declined');
}

const isPaid = 'payment_intent.succeeded';
const failed = 'payment_intent.payment_failed';

test.each([
  ['whole', 10_000, 0],
  ['in part, with more than what has not become credit', 5_000, 5_000],
  ['in part, with what has not become credit', 100, 9_900],
])('200: refunded %s, and the debit fails: the customer has its money once', async (_name, amount, left) => {
  const holding = await createHolding(stripeIbans.failed);
  await refundInDashboard(holding, amount);
  await decide(holding, failed);
  expect(await balance(holding)).toBe(left);
  expect(await journalFaults(app.pool)).toEqual([]);
  // The same report again takes nothing more.
  const { id } = await intentOf(app.stripe, holding.token);
  await notify(app, { type: 'refund.updated', object: { id: 'ch_1', payment_intent: id } });
  expect(await balance(holding)).toBe(left);
});

test('200: two refunds in parts take back what each has paid out', async () => {
  const holding = await createHolding(stripeIbans.failed);
  await refundInDashboard(holding, 5_000);
  await refundInDashboard(holding, 5_000);
  await decide(holding, failed);
  expect(await balance(holding)).toBe(0);
  expect(await journalFaults(app.pool)).toEqual([]);
});

test('200: the debit is paid: what the merchant gave twice stays given, and no debt arises', async () => {
  const holding = await createHolding(stripeIbans.paid);
  await refundInDashboard(holding, 10_000);
  await decide(holding, isPaid);
  expect(await balance(holding)).toBe(0);
  expect(await journalFaults(app.pool)).toEqual([]);
});

test('200: the refund fails after the debit has failed: the credit is whole again', async () => {
  const holding = await createHolding(stripeIbans.failed);
  const intent = await refundInDashboard(holding, 10_000);
  await decide(holding, failed);
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  Object.assign(made ?? {}, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
  await notify(app, { type: 'refund.failed', object: { id: 'ch_1', payment_intent: intent } });
  expect(await balance(holding)).toBe(9_900);
  const text = `SELECT refunded_minor::int AS refunded, credited_minor::int AS credited FROM charges
    WHERE reference = $1`;
  expect((await app.pool.query(text, [intent])).rows).toEqual([{ refunded: 0, credited: 9_900 }]);
  expect(await journalFaults(app.pool)).toEqual([]);
});
