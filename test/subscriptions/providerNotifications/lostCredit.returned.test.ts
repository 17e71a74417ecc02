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
import { type StripeApp } from '../../support/stripeNotifications';

/** A won dispute, or a refund that fails, gives back exactly the credit that was lost by it. */

let app: StripeApp;
const balance = lostCreditScene((started) => (app = started));

describe('several causes', () => {
  test('200: a dispute that is won gives the periods back that it has lowered, and no others', async () => {
    const year = await createCredit(app);
    const { token: older } = await subscribeOther(app, year, '50');
    const { token: newer } = await subscribeOther(app, year, '49');
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
    const year = await createCredit(app);
    const { token: older } = await subscribeOther(app, year, '50');
    const { token: newer } = await subscribeOther(app, year, '49');
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
    const year = await createCredit(app);
    const { token, toCheap } = await subscribeOther(app, year, '50');
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
    const { subscriptionId, version } = await rowOf(app, token);
    const wanted = { subscriptionId, version, atMs: Date.now(), accessFeeId: month, mode: 'now' } as const;
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

  test('200: a dispute that is won during the change', async () => {
    const year = await createYear(app);
    await report(app, year.token, 'needs_response');
    const [change] = await Promise.all([toMonth(app, year), report(app, year.token, 'won')]);
    expect(change.status).toBe(200);
    const text = `SELECT coalesce(sum(amount_minor), 0)::int AS paid FROM charges WHERE account_id = $1`;
    const paid = (await app.pool.query<{ paid: number }>(text, [year.shop.consumer.id])).rows[0]?.paid ?? 0;
    // The customer has a month for 1, and the rest of the money as credit.
    expect(await balance(year)).toBe(paid - 100);
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
