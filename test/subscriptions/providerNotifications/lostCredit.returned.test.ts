import { balanceOf } from '../../support/balances';
import { charged, createMandate, offerDebits, payByDebit } from '../../support/debits';
import { createFee, createItem, reaches, type Shop, subscribe } from '../../support/factories';
import { journalFaults } from '../../support/journal';
import {
  createYear,
  failRefund,
  otherPlan,
  paidAndLost,
  refundInDashboard,
  report,
  toMonth,
  type Yearly,
} from '../../support/lostCredit';
import { settles } from '../../support/payments';
import { stripeIbans } from '../../support/stripeDebits';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** A won dispute, or a refund that fails, gives back exactly the credit that was lost by it. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

const balance = ({ shop }: Pick<Yearly, 'shop'>) => balanceOf(app, shop.consumer.id);

/** A subscription of another item for a price a month, and its fee of 1 a year. */
async function subscribeOther(year: Yearly, amount: string): Promise<{ token: string; toCheap: Yearly }> {
  const { other, cheap } = await otherPlan(app, year, { amount });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  return { token, toCheap: { shop: other, month: cheap, token } };
}

/** A year that was changed to a month, with a credit of 99. */
async function createCredit(): Promise<Yearly> {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  return year;
}

describe('several causes', () => {
  test('200: a dispute that is won gives the periods back that it has lowered, and no others', async () => {
    const year = await createCredit();
    const { token: older } = await subscribeOther(year, '50');
    const { token: newer } = await subscribeOther(year, '49');
    expect(await balance(year)).toBe(0);
    await report(app, year.token, 'needs_response', { name: 'first', amountMinor: 4_900 });
    await report(app, year.token, 'needs_response', { name: 'second', amountMinor: 5_000 });
    expect(await paidAndLost(app, newer)).toEqual({ paid: 0, lost: 4_900 });
    expect(await paidAndLost(app, older)).toEqual({ paid: 100, lost: 4_900 });
    await report(app, year.token, 'won', { name: 'second' });
    expect(await paidAndLost(app, newer)).toEqual({ paid: 100, lost: 4_800 });
    expect(await paidAndLost(app, older)).toEqual({ paid: 5_000, lost: 0 });
    await report(app, year.token, 'won', { name: 'first' });
    expect(await paidAndLost(app, newer)).toEqual({ paid: 4_900, lost: 0 });
    expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
  });

  test('200: a refund that fails gives back its own loss beside a dispute that stands', async () => {
    const year = await createCredit();
    const { token: older } = await subscribeOther(year, '50');
    const { token: newer } = await subscribeOther(year, '49');
    const intent = await refundInDashboard(app, year, 5_000);
    expect(await paidAndLost(app, newer)).toEqual({ paid: 0, lost: 4_900 });
    await report(app, year.token, 'needs_response', { amountMinor: 5_000 });
    expect(await paidAndLost(app, older)).toEqual({ paid: 0, lost: 5_000 });
    await failRefund(app, intent);
    expect(await paidAndLost(app, newer)).toEqual({ paid: 4_900, lost: 0 });
    expect(await paidAndLost(app, older)).toEqual({ paid: 0, lost: 5_000 });
  });
});

describe('a plan that changes meanwhile', () => {
  const creditedOf = async (token: string) => {
    const text = `SELECT credited_minor::int AS credited FROM charges WHERE idempotency_key = $1`;
    return (await app.pool.query<{ credited: number }>(text, [`${token}:1:1`])).rows[0]?.credited;
  };

  test('200: a dispute that is won moves the credit of the change to the balance', async () => {
    const year = await createYear(app);
    await report(app, year.token, 'needs_response');
    expect((await toMonth(app, year)).status).toBe(200);
    expect(await balance(year)).toBe(0);
    await report(app, year.token, 'won');
    expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
    // The change to the month cost 1, which the card has paid.
    expect(await balance(year)).toBe(10_000);
    expect(await creditedOf(year.token)).toBe(10_000);
    // The credit is a credit like any other: the next dispute takes it back.
    await report(app, year.token, 'needs_response', { name: 'again' });
    expect(await balance(year)).toBe(0);
  });

  test('200: each of two disputes moves its own part', async () => {
    const year = await createYear(app);
    await report(app, year.token, 'needs_response', { name: 'first', amountMinor: 3_000 });
    await report(app, year.token, 'needs_response', { name: 'second', amountMinor: 6_000 });
    expect((await toMonth(app, year)).status).toBe(200);
    expect(await balance(year)).toBe(900);
    await report(app, year.token, 'won', { name: 'second' });
    expect(await balance(year)).toBe(6_900);
    await report(app, year.token, 'won', { name: 'second' });
    expect(await balance(year)).toBe(6_900);
    await report(app, year.token, 'won', { name: 'first' });
    expect(await balance(year)).toBe(9_900);
    expect(await creditedOf(year.token)).toBe(9_900);
  });

  test('200: a dispute that is lost after it was won, and won again, moves the credit each time', async () => {
    const year = await createYear(app);
    await report(app, year.token, 'needs_response');
    expect((await toMonth(app, year)).status).toBe(200);
    await report(app, year.token, 'won');
    await report(app, year.token, 'lost');
    expect(await balance(year)).toBe(0);
    await report(app, year.token, 'won');
    expect(await balance(year)).toBe(10_000);
    expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
  });

  test('200: a period that the balance has paid', async () => {
    const year = await createCredit();
    const { token, toCheap } = await subscribeOther(year, '50');
    await report(app, year.token, 'needs_response');
    expect(await balance(year)).toBe(0);
    expect((await toMonth(app, toCheap)).status).toBe(200);
    expect(await paidAndLost(app, token)).toEqual({ paid: 100, lost: 0 });
    await report(app, year.token, 'won');
    expect(await balance(year)).toBe(9_900);
    expect(await paidAndLost(app, token)).toEqual({ paid: 100, lost: 0 });
  });

  test('200: a refund that fails moves the credit of the change to the balance', async () => {
    const year = await createYear(app);
    const intent = await refundInDashboard(app, year, 6_000);
    expect((await toMonth(app, year)).status).toBe(200);
    expect(await balance(year)).toBe(3_900);
    await failRefund(app, intent);
    expect(await balance(year)).toBe(9_900);
    expect(await paidAndLost(app, year.token)).toEqual({ paid: 100, lost: 0 });
  });

  /** Agrees on the change to the month. Returns the step that makes it. */
  async function agree({ token, month }: Yearly): Promise<() => Promise<unknown>> {
    const { priceSwitch, switchPlan } = await import('../../../src/subscriptions/lifecycle/switches.js');
    const text = 'SELECT id AS "subscriptionId", version FROM subscriptions WHERE token = $1';
    const [row] = (await app.pool.query<{ subscriptionId: number; version: number }>(text, [token])).rows;
    if (!row) throw new Error('There is no subscription');
    const wanted = { ...row, atMs: Date.now(), accessFeeId: month, mode: 'now' } as const;
    const { agreed } = await priceSwitch(wanted);
    return () => switchPlan({ ...wanted, ...(agreed && { agreed }) }, { runId: 'test' });
  }

  test('200: a dispute between the price of the change and the change', async () => {
    const year = await createYear(app);
    const change = await agree(year);
    await report(app, year.token, 'needs_response');
    await change();
    expect(await balance(year)).toBe(0);
    expect((await paidAndLost(app, year.token))?.paid).toBe(0);
    await report(app, year.token, 'won');
    expect(await balance(year)).toBe(9_900);
    expect((await paidAndLost(app, year.token))?.paid).toBe(100);
  });

  test('200: a dispute that is won between the price of the change and the change', async () => {
    const year = await createYear(app);
    await report(app, year.token, 'needs_response', { amountMinor: 6_000 });
    const change = await agree(year);
    await report(app, year.token, 'won');
    await change();
    expect(await balance(year)).toBe(9_900);
    expect((await paidAndLost(app, year.token))?.paid).toBe(100);
  });

  test('200: the tax of the credit is restored with it', async () => {
    const year = await createYear(app, undefined, true);
    await report(app, year.token, 'needs_response', { amountMinor: 6_000 });
    expect((await toMonth(app, year)).status).toBe(200);
    await report(app, year.token, 'won');
    const text = `SELECT amount_minor::int AS amount, tax_minor::int AS tax FROM balance_movements
      WHERE account_id = $1 ORDER BY id`;
    const { rows } = await app.pool.query<{ amount: number; tax: number }>(text, [year.shop.consumer.id]);
    const [first, second] = rows;
    expect(rows).toHaveLength(2);
    expect((second?.tax ?? 0) / (second?.amount ?? 1)).toBeCloseTo((first?.tax ?? 0) / (first?.amount ?? 1), 2);
    expect(second?.tax).toBeGreaterThan(0);
  });
});

describe('what a charge has paid for does not begin', () => {
  const refunded = (token: string) =>
    until(async () => {
      const text = `SELECT r.state FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.idempotency_key LIKE $1`;
      return (await app.pool.query<{ state: string }>(text, [`${token}%`])).rows[0]?.state === 'refunded';
    });

  /** A change that another run has paid with the credit, and that is not made. */
  async function payChange(token: string) {
    const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
    const text = 'SELECT id, cycle, version FROM subscriptions WHERE token = $1';
    const [row] = (await app.pool.query<{ id: number; cycle: number; version: number }>(text, [token])).rows;
    if (!row) throw new Error('There is no subscription');
    const of = { subscriptionId: row.id, cycle: row.cycle + 1, attempt: 1, amountMinor: 12_000, version: row.version };
    expect(await chargeCycle(of)).toMatchObject({ outcome: 'paid' });
    return { subscriptionId: row.id, version: row.version };
  }

  async function refuse(of: { subscriptionId: number; version: number }): Promise<void> {
    const { refuseChange } = await import('../../../src/subscriptions/lifecycle/switches.js');
    await refuseChange({ ...of, atMs: Date.now(), reason: 'interrupted', message: '' }, { runId: 'test' });
  }

  async function createChange() {
    const year = await createYear(app);
    const { token } = await subscribeOther(year, '1');
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

  test('200: the running period keeps its paid amount, because the charge has not paid for it', async () => {
    const { token, change } = await createChange();
    await refuse(change);
    await refunded(`${token}:2`);
    expect((await paidAndLost(app, token))?.paid).toBe(100);
  });

  test('200: a dispute of a charge lowers the period that it pays for, and not the one before', async () => {
    const year = await createYear(app);
    const { token, toCheap } = await subscribeOther(year, '1');
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
    const year = await createCredit();
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
});
