import { call, requestChange } from '../../support/client';
import { charged, createMandate, offerDebits, subscribeByDebit } from '../../support/debits';
import { createFee, reaches, type Shop, subscribe } from '../../support/factories';
import {
  createYear,
  failRefund,
  lostCreditScene,
  otherPlan,
  paidAndLost,
  refundInDashboard,
  report,
  toMonth,
} from '../../support/lostCredit';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, type StripeApp } from '../../support/stripeNotifications';

/** Money of a payment goes back while its credit is in use. A change of plan then gives no credit for it. */

let app: StripeApp;
const balance = lostCreditScene((started) => (app = started));

async function creditOf(token: string, { consumer }: Shop, fee: number): Promise<number> {
  const path = `/subscriptions/${token}/switch:preview`;
  const { body } = await call<{ lines: { amount: number }[] }>(app, 'POST', path, { access_fee_id: fee }, consumer);
  // The credit of the old plan is the only negative line.
  return body.lines.reduce((credit, { amount }) => (amount < 0 ? credit - amount : credit), 0);
}

test('200: a refund pays out the credit of another running period: the period counts as unpaid by this part', async () => {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  const { other, cheap } = await otherPlan(app, year, { amount: '50' });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  expect(await paidAndLost(app, token)).toEqual({ paid: 5_000, lost: 0 });
  const intent = await refundInDashboard(app, year, 9_950);
  expect(await balance(year)).toBe(0);
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 0, lost: 0 });
  expect(await paidAndLost(app, token)).toEqual({ paid: 50, lost: 4_950 });
  expect(await creditOf(token, other, cheap)).toBe(0.5);
  await failRefund(app, intent);
  expect(await balance(year)).toBe(4_900);
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
  expect(await paidAndLost(app, token)).toEqual({ paid: 5_000, lost: 0 });
  expect(await creditOf(token, other, cheap)).toBe(50);
});

test('200: a debit succeeds after the credit that it uses was refunded: its period counts as unpaid by this part', async () => {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  const { other, cheap } = await otherPlan(app, year, { amount: '120' });
  await offerDebits(app, other);
  await createMandate(app, other, stripeIbans.paid);
  const token = (await subscribeByDebit(app, other)).body.subscription_id;
  await charged(app, token, 'processing');
  const intent = await refundInDashboard(app, year, 9_950);
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, token);
  await notify(app, { type: 'payment_intent.succeeded', object: { id } });
  await reaches(app, other.consumer, token, 'active');
  expect(await paidAndLost(app, token)).toEqual({ paid: 2_150, lost: 9_850 });
  expect(await creditOf(token, other, cheap)).toBe(21.5);
  expect(await balance(year)).toBe(0);
  await failRefund(app, intent);
  expect(await paidAndLost(app, token)).toEqual({ paid: 12_000, lost: 0 });
});

test('200: the plan changes after a dispute and before the access ends: the disputed money gives no credit', async () => {
  const year = await createYear(app);
  await report(app, year.token, 'needs_response');
  expect((await toMonth(app, year)).status).toBe(200);
  expect(await balance(year)).toBe(0);
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
});

test('200: a dispute lowers the paid amount with its record, and restores it when it is won', async () => {
  const year = await createYear(app);
  await report(app, year.token, 'needs_response');
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 0, lost: 0 });
  // The same dispute again lowers nothing more.
  await report(app, year.token, 'needs_response');
  expect(await creditOf(year.token, year.shop, year.month)).toBe(0);
  await report(app, year.token, 'won');
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 10_000, lost: 0 });
  await report(app, year.token, 'won');
  expect(await creditOf(year.token, year.shop, year.month)).toBe(100);
});

test('200: the credit of a period belongs to the payment that is not disputed', async () => {
  const year = await createYear(app);
  const { shop, token } = year;
  const dear = await createFee(app, shop.merchant, shop.item.id, { amount: '150', period: 'month' });
  const fields = { access_fee_id: dear.id, mode: 'now' };
  expect((await requestChange(app, 'POST', `/subscriptions/${token}/switch`, fields, shop.consumer)).status).toBe(200);
  await report(app, `${token}:2`, 'needs_response');
  expect((await toMonth(app, year)).status).toBe(200);
  const text = `SELECT amount_minor::int AS amount, credited_minor::int AS credited FROM charges
    WHERE idempotency_key LIKE $1 ORDER BY id`;
  expect((await app.pool.query(text, [`${token}:%`])).rows).toEqual([
    { amount: 10_000, credited: 9_900 },
    { amount: 5_000, credited: 0 },
  ]);
  expect(await balance(year)).toBe(9_900);
});

test('200: a disputed payment gives no credit to a period that its credit has paid', async () => {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  const { other, cheap } = await otherPlan(app, year, { amount: '50' });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  await report(app, year.token, 'needs_response', { isHeard: true });
  expect(await balance(year)).toBe(0);
  expect(await paidAndLost(app, token)).toEqual({ paid: 0, lost: 5_000 });
  expect(await creditOf(token, other, cheap)).toBe(0);
  await report(app, year.token, 'won', { isHeard: true });
  expect(await paidAndLost(app, token)).toEqual({ paid: 5_000, lost: 0 });
  expect(await balance(year)).toBe(4_900);
});

test('200: later reports of a dispute take no credit that another period has lost already', async () => {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  const { other, cheap } = await otherPlan(app, year, { amount: '120' });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  await report(app, year.token, 'needs_response');
  expect(await paidAndLost(app, token)).toEqual({ paid: 2_100, lost: 9_900 });
  expect((await toMonth(app, { shop: other, month: cheap, token })).status).toBe(200);
  expect(await balance(year)).toBe(2_000);
  await report(app, year.token, 'under_review');
  await report(app, year.token, 'lost');
  expect(await balance(year)).toBe(2_000);
});

test('200: a dispute of a part takes back at most this part of the credit, and gives only its own credit back', async () => {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  const first = { name: 'first', amountMinor: 1_000 };
  const second = { name: 'second', amountMinor: 2_000 };
  await report(app, year.token, 'needs_response', first);
  expect(await balance(year)).toBe(8_900);
  await report(app, year.token, 'under_review', first);
  expect(await balance(year)).toBe(8_900);
  await report(app, year.token, 'needs_response', second);
  expect(await balance(year)).toBe(6_900);
  await report(app, year.token, 'won', first);
  expect(await balance(year)).toBe(7_900);
  await report(app, year.token, 'under_review', second);
  expect(await balance(year)).toBe(7_900);
  await report(app, year.token, 'won', second);
  expect(await balance(year)).toBe(9_900);
  expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
});

test('200: of two disputes of a taxed payment, each one that is won restores the tax of its own credit', async () => {
  const year = await createYear(app, undefined, true);
  expect((await toMonth(app, year)).status).toBe(200);
  const first = { name: 'first', amountMinor: 100 };
  const second = { name: 'second', amountMinor: 9_000 };
  await report(app, year.token, 'needs_response', first);
  await report(app, year.token, 'needs_response', second);
  await report(app, year.token, 'won', first);
  await report(app, year.token, 'won', second);
  const text = `SELECT amount_minor::int AS amount, tax_minor::int AS tax FROM balance_movements
    WHERE account_id = $1 AND reason IN ('dispute', 'dispute_won') ORDER BY id`;
  const { rows } = await app.pool.query<{ amount: number; tax: number }>(text, [year.shop.consumer.id]);
  const [ofFirst, ofSecond] = rows;
  expect(rows.map(({ amount }) => amount)).toEqual([-100, -9_000, 100, 9_000]);
  expect(ofSecond?.tax).toBeLessThan(ofFirst?.tax ?? 0);
  expect(ofFirst?.tax).toBeLessThan(0);
  expect(rows.map(({ tax }) => tax)).toEqual([
    ...[ofFirst, ofSecond].map((row) => row?.tax),
    ...[ofFirst, ofSecond].map((row) => 0 - (row?.tax ?? 0)),
  ]);
});
