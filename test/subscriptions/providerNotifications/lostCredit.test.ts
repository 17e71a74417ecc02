import { balanceOf } from '../../support/balances';
import { call } from '../../support/client';
import { charged, createMandate, offerDebits, subscribeByDebit } from '../../support/debits';
import { createFee, createItem, createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { journalFaults } from '../../support/journal';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** Money of a payment goes back while its credit is in use. A change of plan then gives no credit for it. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

interface Yearly {
  shop: Shop;
  /** The fee of 1 a month, on the same item. */
  month: number;
  token: string;
}

/** A year for 100. */
async function createYear(): Promise<Yearly> {
  const shop = await createShop(app, { amount: '100', period: 'year' });
  const month = await createFee(app, shop.merchant, shop.item.id, { amount: '1', period: 'month' });
  const token = (await subscribe(app, shop)).body.subscription_id;
  await reaches(app, shop.consumer, token, 'active');
  return { shop, month: month.id, token };
}

const toMonth = ({ shop, month, token }: Yearly) =>
  call(app, 'POST', `/subscriptions/${token}/switch`, { access_fee_id: month, mode: 'now' }, shop.consumer);

/** The same item for another price and period. */
async function otherPlan({ shop }: Yearly, amount: string): Promise<{ other: Shop; cheap: number }> {
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, { amount, period: 'month' });
  const cheap = await createFee(app, shop.merchant, item.id, { amount: '1', period: 'year' });
  return { other: { ...shop, item, fee }, cheap: cheap.id };
}

async function creditOf(token: string, { consumer }: Shop, fee: number): Promise<number> {
  const path = `/subscriptions/${token}/switch:preview`;
  const { body } = await call<{ lines: { amount: number }[] }>(app, 'POST', path, { access_fee_id: fee }, consumer);
  // The credit of the old plan is the only negative line.
  return body.lines.reduce((credit, { amount }) => (amount < 0 ? credit - amount : credit), 0);
}

/** What the running period has paid, and what its latest charge has lost. */
async function paidAndLost(token: string) {
  const text = `SELECT s.paid_minor::int AS paid, c.lost_minor::int AS lost FROM subscriptions s
    JOIN charges c ON c.subscription_id = s.id WHERE s.token = $1 ORDER BY c.id DESC LIMIT 1`;
  return (await app.pool.query<{ paid: number; lost: number }>(text, [token])).rows[0];
}

async function refundInDashboard({ token }: Yearly, amount: number): Promise<string> {
  const { id } = await intentOf(app.stripe, token);
  const body = new URLSearchParams({ payment_intent: id, amount: String(amount) });
  expect((await fetch(`${app.stripe.url}/v1/refunds`, { method: 'POST', body })).status).toBe(200);
  expect((await notify(app, { type: 'charge.refunded', object: { id: 'ch_1', payment_intent: id } })).status).toBe(200);
  return id;
}

async function failRefund(intent: string): Promise<void> {
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  Object.assign(made ?? {}, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
  await notify(app, { type: 'refund.failed', object: { id: 'ch_1', payment_intent: intent } });
}

test('200: a refund pays out the credit of another running period: the period counts as unpaid by this part', async () => {
  const year = await createYear();
  expect((await toMonth(year)).status).toBe(200);
  const { other, cheap } = await otherPlan(year, '50');
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  expect(await paidAndLost(token)).toEqual({ paid: 5_000, lost: 0 });
  const intent = await refundInDashboard(year, 9_950);
  expect(await balanceOf(app, other.consumer.id)).toBe(0);
  expect(await paidAndLost(year.token)).toEqual({ paid: 0, lost: 0 });
  expect(await paidAndLost(token)).toEqual({ paid: 50, lost: 4_950 });
  expect(await creditOf(token, other, cheap)).toBe(0.5);
  await failRefund(intent);
  expect(await balanceOf(app, other.consumer.id)).toBe(4_900);
  expect(await paidAndLost(year.token)).toEqual({ paid: 100, lost: 0 });
  expect(await paidAndLost(token)).toEqual({ paid: 5_000, lost: 0 });
  expect(await creditOf(token, other, cheap)).toBe(50);
});

test('200: a debit succeeds after the credit that it uses was refunded: its period counts as unpaid by this part', async () => {
  const year = await createYear();
  expect((await toMonth(year)).status).toBe(200);
  const { other, cheap } = await otherPlan(year, '120');
  await offerDebits(app, other);
  await createMandate(app, other, stripeIbans.paid);
  const token = (await subscribeByDebit(app, other)).body.subscription_id;
  await charged(app, token, 'processing');
  const intent = await refundInDashboard(year, 9_950);
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, token);
  await notify(app, { type: 'payment_intent.succeeded', object: { id } });
  await reaches(app, other.consumer, token, 'active');
  expect(await paidAndLost(token)).toEqual({ paid: 2_150, lost: 9_850 });
  expect(await creditOf(token, other, cheap)).toBe(21.5);
  expect(await balanceOf(app, other.consumer.id)).toBe(0);
  await failRefund(intent);
  expect(await paidAndLost(token)).toEqual({ paid: 12_000, lost: 0 });
});

let seconds = 0;

interface Reported {
  /** False: the message to the subscription's run is lost. */
  isHeard?: boolean;
  /** What the bank took, in cents. Absent: the whole charge. */
  amountMinor?: number;
  /** Tells two disputes of one charge apart. */
  name?: string;
}

/** The bank reports a dispute. */
async function report(
  token: string,
  status: 'needs_response' | 'under_review' | 'lost' | 'won',
  { isHeard = false, amountMinor, name = 'dp' }: Reported = {},
): Promise<void> {
  const { findPurchase } = await import('../../../src/subscriptions/charges/charges.model.js');
  const { followDisputeNow } = await import('../../../src/subscriptions/provider/providerNotifications.js');
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../../src/adapters/postgres/statement.js');
  const purchase = await findPurchase((await intentOf(app.stripe, token)).id);
  if (!purchase) throw new Error('There is no purchase');
  const at = new Date(Date.UTC(2030, 0, 1) + (seconds += 1) * 1000);
  const taken = amountMinor === undefined ? {} : { amountMinor, currency: 'EUR' };
  const dispute = { reference: `${name}-${token}`, status, at, reason: 'fraudulent', ...taken };
  await transaction(async (inTransaction) => {
    const signal = await followDisputeNow(inTransaction, { dispute, purchase, provider: 'stripe' });
    if (!isHeard && signal) await execute(inTransaction, 'DELETE FROM outbox WHERE id = $1', [signal.id]);
  });
}

test('200: the plan changes after a dispute and before the access ends: the disputed money gives no credit', async () => {
  const year = await createYear();
  await report(year.token, 'needs_response');
  expect((await toMonth(year)).status).toBe(200);
  expect(await balanceOf(app, year.shop.consumer.id)).toBe(0);
  expect(await paidAndLost(year.token)).toEqual({ paid: 100, lost: 0 });
});

test('200: a dispute lowers the paid amount with its record, and restores it when it is won', async () => {
  const year = await createYear();
  await report(year.token, 'needs_response');
  expect(await paidAndLost(year.token)).toEqual({ paid: 0, lost: 0 });
  // The same dispute again lowers nothing more.
  await report(year.token, 'needs_response');
  expect(await creditOf(year.token, year.shop, year.month)).toBe(0);
  await report(year.token, 'won');
  expect(await paidAndLost(year.token)).toEqual({ paid: 10_000, lost: 0 });
  await report(year.token, 'won');
  expect(await creditOf(year.token, year.shop, year.month)).toBe(100);
});

test('200: the credit of a period belongs to the payment that is not disputed', async () => {
  const year = await createYear();
  const { shop, token } = year;
  const dear = await createFee(app, shop.merchant, shop.item.id, { amount: '150', period: 'month' });
  const fields = { access_fee_id: dear.id, mode: 'now' };
  expect((await call(app, 'POST', `/subscriptions/${token}/switch`, fields, shop.consumer)).status).toBe(200);
  await report(`${token}:2`, 'needs_response');
  expect((await toMonth(year)).status).toBe(200);
  const text = `SELECT amount_minor::int AS amount, credited_minor::int AS credited FROM charges
    WHERE idempotency_key LIKE $1 ORDER BY id`;
  expect((await app.pool.query(text, [`${token}:%`])).rows).toEqual([
    { amount: 10_000, credited: 9_900 },
    { amount: 5_000, credited: 0 },
  ]);
  expect(await balanceOf(app, shop.consumer.id)).toBe(9_900);
});

test('200: a disputed payment gives no credit to a period that its credit has paid', async () => {
  const year = await createYear();
  expect((await toMonth(year)).status).toBe(200);
  const { other, cheap } = await otherPlan(year, '50');
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  await report(year.token, 'needs_response', { isHeard: true });
  expect(await balanceOf(app, other.consumer.id)).toBe(0);
  expect(await paidAndLost(token)).toEqual({ paid: 0, lost: 5_000 });
  expect(await creditOf(token, other, cheap)).toBe(0);
  await report(year.token, 'won', { isHeard: true });
  expect(await paidAndLost(token)).toEqual({ paid: 5_000, lost: 0 });
  expect(await balanceOf(app, other.consumer.id)).toBe(4_900);
});

test('200: later reports of a dispute take no credit that another period has lost already', async () => {
  const year = await createYear();
  expect((await toMonth(year)).status).toBe(200);
  const { other, cheap } = await otherPlan(year, '120');
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  await report(year.token, 'needs_response');
  expect(await paidAndLost(token)).toEqual({ paid: 2_100, lost: 9_900 });
  expect((await toMonth({ shop: other, month: cheap, token })).status).toBe(200);
  expect(await balanceOf(app, other.consumer.id)).toBe(2_000);
  await report(year.token, 'under_review');
  await report(year.token, 'lost');
  expect(await balanceOf(app, other.consumer.id)).toBe(2_000);
});

test('200: a dispute of a part takes back at most this part of the credit, and gives only its own credit back', async () => {
  const year = await createYear();
  expect((await toMonth(year)).status).toBe(200);
  const balance = () => balanceOf(app, year.shop.consumer.id);
  const first = { name: 'first', amountMinor: 1_000 };
  const second = { name: 'second', amountMinor: 2_000 };
  await report(year.token, 'needs_response', first);
  expect(await balance()).toBe(8_900);
  await report(year.token, 'under_review', first);
  expect(await balance()).toBe(8_900);
  await report(year.token, 'needs_response', second);
  expect(await balance()).toBe(6_900);
  await report(year.token, 'won', first);
  expect(await balance()).toBe(7_900);
  await report(year.token, 'under_review', second);
  expect(await balance()).toBe(7_900);
  await report(year.token, 'won', second);
  expect(await balance()).toBe(9_900);
  expect(await paidAndLost(year.token)).toEqual({ paid: 100, lost: 0 });
});
