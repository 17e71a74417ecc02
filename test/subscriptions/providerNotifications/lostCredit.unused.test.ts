import { charged, createMandate, offerDebits, payByDebit } from '../../support/debits';
import { createFee, createItem, type Shop } from '../../support/factories';
import {
  createCredit,
  createYear,
  failRefund,
  lostCreditScene,
  paidAndLost,
  refundInDashboard,
  report,
  rowOf,
  subscribeOther,
  toMonth,
  type Yearly,
} from '../../support/lostCredit';
import { settles } from '../../support/payments';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** What a charge has paid for does not begin, and the credit that the charge used was lost before. */

let app: StripeApp;
const balance = lostCreditScene((started) => (app = started));

const refunded = (token: string) =>
  until(async () => {
    const text = `SELECT r.state FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.idempotency_key LIKE $1`;
    return (await app.pool.query<{ state: string }>(text, [`${token}%`])).rows[0]?.state === 'refunded';
  });

/** A change that another run has paid with the credit, and that is not made. */
async function payChange(token: string) {
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const { subscriptionId, cycle, version } = await rowOf(app, token);
  const of = { subscriptionId, cycle: cycle + 1, attempt: 1, amountMinor: 12_000, version };
  expect(await chargeCycle(of)).toMatchObject({ outcome: 'paid' });
  return { subscriptionId, version };
}

async function refuse(of: { subscriptionId: number; version: number }): Promise<void> {
  const { refuseChange } = await import('../../../src/subscriptions/lifecycle/switches.js');
  await refuseChange({ ...of, atMs: Date.now(), reason: 'interrupted', message: '' }, { runId: 'test' });
}

async function createChange() {
  const year = await createYear(app);
  const { token } = await subscribeOther(app, year, '1');
  expect((await toMonth(app, year)).status).toBe(200);
  const change = await payChange(token);
  expect(await balance(year)).toBe(0);
  return { year, token, change };
}

test('200: the part of the balance comes back when the dispute is won', async () => {
  const { year, token, change } = await createChange();
  await report(app, year.token, 'needs_response');
  await refuse(change);
  await refunded(`${token}:2`);
  expect(await balance(year)).toBe(0);
  await report(app, year.token, 'won');
  expect(await balance(year)).toBe(9_900);
});

test('200: a part of it is lost: the rest comes back at once', async () => {
  const { year, token, change } = await createChange();
  await report(app, year.token, 'needs_response', { amountMinor: 4_100 });
  await refuse(change);
  await refunded(`${token}:2`);
  expect(await balance(year)).toBe(5_900);
  await report(app, year.token, 'won');
  expect(await balance(year)).toBe(9_900);
});

test('200: a dispute that is won before the refusal leaves nothing to move', async () => {
  const { year, token, change } = await createChange();
  await report(app, year.token, 'needs_response');
  await report(app, year.token, 'won');
  await refuse(change);
  await refunded(`${token}:2`);
  expect(await balance(year)).toBe(9_900);
});

test('200: a dispute that is won during the refusal', async () => {
  const { year, token, change } = await createChange();
  await report(app, year.token, 'needs_response');
  await Promise.all([refuse(change), report(app, year.token, 'won')]);
  await refunded(`${token}:2`);
  expect(await balance(year)).toBe(9_900);
});

test('200: the running period keeps its paid amount, because the charge has not paid for it', async () => {
  const { token, change } = await createChange();
  await refuse(change);
  await refunded(`${token}:2`);
  expect((await paidAndLost(app, token))?.paid).toBe(100);
});

test('200: a dispute of a charge lowers the period that it pays for, and not the one before', async () => {
  const year = await createYear(app);
  const { token, toCheap } = await subscribeOther(app, year, '1');
  const change = await payChange(token);
  await report(app, `${token}:2`, 'needs_response');
  expect((await paidAndLost(app, token))?.paid).toBe(100);
  const { item, merchant } = toCheap.shop;
  const dear = await createFee(app, merchant, item.id, { amount: '121', period: 'month' });
  const { switchPlan } = await import('../../../src/subscriptions/lifecycle/switches.js');
  const wanted = { ...change, atMs: Date.now(), accessFeeId: dear.id, mode: 'now' } as const;
  await switchPlan(wanted, { runId: 'test' });
  expect((await paidAndLost(app, token))?.paid).toBe(100);
  await report(app, `${token}:2`, 'won');
  expect((await paidAndLost(app, token))?.paid).toBe(12_100);
});

/** A payment by debit with the credit, for access that is over when the money arrives. */
async function payLate(year: Yearly): Promise<string> {
  const item = await createItem(app, year.shop.merchant);
  const fields = { access_type: 'ppv', quantity: 60, period: 'day', amount: '120' };
  const other: Shop = { ...year.shop, item, fee: await createFee(app, year.shop.merchant, item.id, fields) };
  await offerDebits(app, other);
  await createMandate(app, other, stripeIbans.paid);
  const token = (await payByDebit(app, other)).body.transaction;
  await charged(app, token, 'processing');
  await app.pool.query(
    `UPDATE payments SET access_type = 'ppv_custom', access_ends_at = now() - interval '1 day' WHERE token = $1`,
    [token],
  );
  return token;
}

test('200: a purchase that is given up gives its credit back when the refund of the credit fails', async () => {
  const year = await createCredit(app);
  const token = await payLate(year);
  const intent = await refundInDashboard(app, year, 9_950);
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, token);
  await notify(app, { type: 'payment_intent.succeeded', object: { id } });
  await settles(app, token, 'failed');
  await refunded(token);
  expect(await balance(year)).toBe(50);
  await failRefund(app, intent);
  expect(await balance(year)).toBe(9_900);
});
