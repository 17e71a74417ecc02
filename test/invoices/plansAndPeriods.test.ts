import { call } from '../support/client';
import {
  cards,
  createFee,
  createShop,
  purchase,
  reaches,
  type Shop,
  type Submitted,
  type SubscriptionRow,
} from '../support/factories';
import { issued, type IssuedRow } from '../support/invoices';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { nameSeller } from '../support/tax';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** The invoice of a subscription names the plan and the period that its charge pays for. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const daySeconds = 86_400;

/** Ten euros a month. The seller is named first, so that every charge has an invoice. */
async function begin({ card, voucher }: { card?: string; voucher?: Record<string, unknown> } = {}) {
  const shop = await createShop(scenarios.app, { amount: '10', description: 'Monthly' });
  await nameSeller(scenarios.app, shop);
  const code = voucher && (await createVoucher(scenarios.app, shop.merchant, voucher)).code;
  const wanted = { ...purchase(shop, card), ...(code !== undefined && { voucher_code: code }) };
  const { body } = await call<Submitted>(scenarios.app, 'POST', '/subscriptions', wanted, shop.consumer);
  await reaches(scenarios.app, shop.consumer, body.subscription_id, 'active');
  return scenarios.of(shop, body.subscription_id);
}

const planOf = async ({ merchant, item }: Shop, fields: Record<string, unknown>) =>
  (await createFee(scenarios.app, merchant, item.id, fields)).id;

const yearly = { amount: '100', period: 'year', description: 'Yearly' };
const premium = { amount: '20', description: 'Premium' };

async function change(scenario: SubscriptionScenario, fields: Record<string, unknown>): Promise<SubscriptionRow> {
  expect(await scenario.request('switch', fields)).toMatchObject({ status: 200 });
  return scenario.row();
}

/** The documents of the charges, without the first one. */
async function laterInvoices({ shop }: SubscriptionScenario): Promise<IssuedRow[]> {
  return (await issued(scenarios.app, shop.merchant)).slice(1);
}

const periodOf = ({ current_period_start: starts_at, current_period_end: ends_at }: SubscriptionRow) => ({
  starts_at,
  ends_at,
});

const linesOf = (invoice: IssuedRow | undefined) =>
  invoice?.lines.map(({ kind, text, gross_minor }) => [kind, text, gross_minor]);

/** The time between the payment of a change and its step is less than this. */
const marginSeconds = 300;

test('a change to another interval: the invoice names the new plan and its first period', async () => {
  const scenario = await begin();
  await scenario.advanceDays(10);
  const row = await change(scenario, { access_fee_id: await planOf(scenario.shop, yearly) });
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', detail: 'Yearly', ...periodOf(row) }]);
  expect(row.current_period_end - row.current_period_start).toBeGreaterThan(364 * daySeconds);
});

test('a change within the period: the invoice names the new plan, from the change to the end of the period', async () => {
  const scenario = await begin();
  const before = await scenario.advanceDays(10);
  const row = await change(scenario, { access_fee_id: await planOf(scenario.shop, premium) });
  expect(periodOf(row)).toEqual(periodOf(before));
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', detail: 'Premium', ends_at: row.current_period_end }]);
  const changedAt = (invoice?.lines[0]?.starts_at ?? 0) - before.current_period_start;
  expect(Math.abs(changedAt - 10 * daySeconds)).toBeLessThan(marginSeconds);
});

test('a change that the next invoice pays has no invoice; the next one names the new plan and contains the debt', async () => {
  const scenario = await begin();
  await scenario.advanceDays(10);
  const fields = { access_fee_id: await planOf(scenario.shop, premium), mode: 'next_invoice' };
  await scenarios.app.pool.query('UPDATE items SET next_invoice_enabled = true WHERE id = $1', [scenario.shop.item.id]);
  await change(scenario, fields);
  expect(await laterInvoices(scenario)).toEqual([]);
  const row = await scenario.advanceDays(22);
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([
    { kind: 'item', detail: 'Premium', gross_minor: 2000, ...periodOf(row) },
    { kind: 'balance', starts_at: null },
  ]);
});

test('a credit of the old plan pays a part of the new one, and the rest pays its next period', async () => {
  const scenario = await begin();
  const weekly = { amount: '1', period: 'week', description: 'Weekly' };
  await change(scenario, { access_fee_id: await planOf(scenario.shop, weekly) });
  expect(await laterInvoices(scenario)).toEqual([]);
  const row = await change(scenario, { access_fee_id: await planOf(scenario.shop, yearly) });
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', detail: 'Yearly', ...periodOf(row) }, { kind: 'balance' }]);
  expect(invoice?.gross).toBeLessThan(10_000);
});

test('a discount: the invoice of a new period has the price and the discount of the new plan', async () => {
  const scenario = await begin({ voucher: { discount: 20, discount_period: 'forever' } });
  // Nothing is left of the old plan, so the change has no credit.
  await scenarios.app.pool.query('UPDATE subscriptions SET paid_minor = 0 WHERE token = $1', [scenario.id]);
  await change(scenario, { access_fee_id: await planOf(scenario.shop, yearly) });
  const [invoice] = await laterInvoices(scenario);
  expect(linesOf(invoice)).toEqual([
    ['item', 'Cup final', 10_000],
    ['discount', expect.any(String), -2000],
  ]);
});

test('a discount: a part of a period has one line, also if its amount equals the discounted old price', async () => {
  const scenario = await begin({ voucher: { discount: 50, discount_period: 'forever' } });
  await change(scenario, { access_fee_id: await planOf(scenario.shop, premium) });
  const [invoice] = await laterInvoices(scenario);
  expect(linesOf(invoice)).toEqual([['item', 'Cup final', invoice?.gross]]);
});

test('a period that is paid while it is on hold begins with its payment', async () => {
  const scenario = await begin({ card: cards.success });
  await changeCardOutcome(scenarios.app, scenario, 'insufficient_funds');
  const held = await scenario.advanceDays(40);
  expect(held).toMatchObject({ status: 'on_hold' });
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await scenario.request('retry')).toMatchObject({ status: 200 });
  const row = await scenario.row();
  expect(row.current_period_start).toBeGreaterThan(held.current_period_start);
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', detail: 'Monthly', ...periodOf(row) }]);
});

test('a period after a pause begins with its payment', async () => {
  const scenario = await begin();
  expect(await scenario.request('pause')).toMatchObject({ status: 200 });
  expect(await scenario.advanceDays(40)).toMatchObject({ status: 'paused' });
  expect(await scenario.request('resume')).toMatchObject({ status: 200 });
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', ...periodOf(await scenario.row()) }]);
});

test('a change that its payer authenticates first: the invoice names the new plan', async () => {
  const scenario = await begin();
  await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
  const pending = scenario.request('switch', { access_fee_id: await planOf(scenario.shop, yearly) });
  const reference = await until(async () => {
    const text = `SELECT reference FROM charges WHERE merchant_id = $1 AND status = 'requires_action'`;
    return (await scenarios.app.pool.query<{ reference: string }>(text, [scenario.shop.merchant.id])).rows[0]
      ?.reference;
  });
  await call(scenarios.app, 'POST', `/sandbox/authenticate/${reference}`, { answer: 'approved' });
  expect(await pending).toMatchObject({ status: 200 });
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', detail: 'Yearly', ...periodOf(await scenario.row()) }]);
});

test('a period that is paid in its days of grace keeps its dates', async () => {
  const scenario = await begin();
  await changeCardOutcome(scenarios.app, scenario, 'insufficient_funds');
  expect(await scenario.advanceDays(33)).toMatchObject({ status: 'past_due' });
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await scenario.request('retry')).toMatchObject({ status: 200 });
  const [invoice] = await laterInvoices(scenario);
  expect(invoice?.lines).toMatchObject([{ kind: 'item', ...periodOf(await scenario.row()) }]);
});
