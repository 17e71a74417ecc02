import { giveCredit } from '../../support/balances';
import { charged, createMandate, offerDebits, subscribeByDebit } from '../../support/debits';
import { reaches, type Shop, subscribe } from '../../support/factories';
import {
  createYear,
  lostCreditScene,
  otherPlan,
  paidAndLost,
  refundInDashboard,
  report,
  toMonth,
  type Yearly,
} from '../../support/lostCredit';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, type StripeApp } from '../../support/stripeNotifications';
import { refundsLate } from '../../support/stripeServer';
import { until } from '../../support/until';

/** Money of a payment goes back while a direct debit uses its credit, and the bank decides on the debit afterwards. */

let app: StripeApp;
const balance = lostCreditScene((started) => (app = started));

interface Holding {
  year: Yearly;
  shop: Shop;
  /** The subscription whose first debit uses the credit. */
  token: string;
}

/** A debit that uses a credit of 99. */
async function createHolding(iban: string, price: Record<string, unknown>, card?: string): Promise<Holding> {
  const year = await createYear(app, card);
  expect((await toMonth(app, year)).status).toBe(200);
  const { other: shop } = await otherPlan(app, year, price);
  await offerDebits(app, shop);
  await createMandate(app, shop, iban);
  const token = (await subscribeByDebit(app, shop)).body.subscription_id;
  await charged(app, token, 'processing');
  expect(await balance(year)).toBe(0);
  return { year, shop, token };
}

async function decide(token: string, to: 'paid' | 'declined'): Promise<void> {
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, token);
  const type = to === 'paid' ? 'payment_intent.succeeded' : 'payment_intent.payment_failed';
  expect((await notify(app, { type, object: { id } })).status).toBe(200);
  await charged(app, token, to);
}

/** A subscription that an adjustment of the balance pays. */
async function subscribeByCredit(year: Yearly, amount: number): Promise<string> {
  await giveCredit(app, year.shop.consumer.id, amount * 100);
  const { other } = await otherPlan(app, year, { amount: String(amount) });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  expect(await paidAndLost(app, token)).toEqual({ paid: amount * 100, lost: 0 });
  return token;
}

test('200: a declined debit gave back what a pending refund has paid out: no period loses it as well', async () => {
  const { year, token } = await createHolding(stripeIbans.failed, { amount: '120' }, refundsLate);
  const intent = await refundInDashboard(app, year, 10_000);
  await decide(token, 'declined');
  expect(await balance(year)).toBe(0);
  const running = await subscribeByCredit(year, 50);
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  Object.assign(made ?? {}, { status: 'succeeded' });
  await notify(app, { type: 'refund.updated', object: { id: 'ch_1', payment_intent: intent } });
  const text = `SELECT r.state FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.reference = $1`;
  await until(async () => (await app.pool.query<{ state: string }>(text, [intent])).rows[0]?.state === 'refunded');
  expect(await paidAndLost(app, running)).toEqual({ paid: 5_000, lost: 0 });
  expect(await balance(year)).toBe(0);
});

test('200: a declined debit keeps the credit whose disputed money another period has lost', async () => {
  const { year, token } = await createHolding(stripeIbans.failed, { amount: '120' });
  const newer = await subscribeByCredit(year, 60);
  await report(app, year.token, 'needs_response');
  // The newest charge loses first, and the debit loses the rest.
  expect(await paidAndLost(app, newer)).toEqual({ paid: 0, lost: 6_000 });
  expect(await paidAndLost(app, token)).toMatchObject({ lost: 3_900 });
  await decide(token, 'declined');
  expect(await balance(year)).toBe(6_000);
  await report(app, year.token, 'lost');
  expect(await balance(year)).toBe(6_000);
  await report(app, year.token, 'won');
  expect(await balance(year)).toBe(9_900);
  expect(await paidAndLost(app, newer)).toEqual({ paid: 6_000, lost: 0 });
});

test('200: a first period loses at most what it has paid, and a won dispute gives it no more back', async () => {
  const fee = { amount: '50', setup_fee_amount: '70', setup_fee_description: 'Set-up' };
  const { year, shop, token } = await createHolding(stripeIbans.paid, fee);
  await report(app, year.token, 'needs_response');
  expect(await paidAndLost(app, token)).toMatchObject({ lost: 9_900 });
  await decide(token, 'paid');
  await reaches(app, shop.consumer, token, 'active');
  expect(await paidAndLost(app, token)).toEqual({ paid: 0, lost: 5_000 });
  await report(app, year.token, 'won');
  expect(await paidAndLost(app, token)).toEqual({ paid: 5_000, lost: 0 });
});
