import { markRestored, reconcileCharges, takeBackup } from '../support/backups';
import { call } from '../support/client';
import { createConsumer, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { issued } from '../support/invoices';
import { chargesOf, tokenOfCharge } from '../support/ledger';
import { startStripeScenarios, type SubscriptionScenario, type StripeScenarios } from '../support/scenarios';
import { refund, refunded } from '../support/payments';
import { type StripeServer } from '../support/stripeServer';
import { nameSeller } from '../support/tax';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** A backup of PostgreSQL is restored. Temporal and the card provider are newer. */

let stripe: StripeServer;
let scenarios: StripeScenarios;

beforeAll(async () => {
  scenarios = await startStripeScenarios();
  ({ stripe } = scenarios);
});
afterAll(() => scenarios.stop());

/** The names of the payments at the provider. */
const paidNames = (id: string) =>
  [...stripe.intents.values()]
    .filter(({ metadata, status }) => metadata['paywall_charge']?.startsWith(`${id}:`) && status === 'succeeded')
    .map(({ metadata }) => metadata['paywall_charge']?.slice(id.length + 1))
    .sort();

const ourNames = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id))
    .filter(({ status }) => status === 'paid')
    .map((charge) => `${charge.cycle}:${charge.attempt}`);

async function alarms(scenario: SubscriptionScenario): Promise<number> {
  const text = 'SELECT FROM rows_behind WHERE workflow_id = $1';
  return (await scenarios.app.pool.query(text, [`subscription-${scenario.id}`])).rows.length;
}

test('npm run restored: no period is paid twice, and payments after the backup are recorded and refundable', async () => {
  const scenario = await scenarios.subscribe();
  const backup = await takeBackup(scenarios.app.pool);
  const later = await scenarios.subscribe();
  await scenario.advanceDays(31);
  await scenario.advanceDays(31);
  expect(paidNames(scenario.id)).toEqual(['1:1', '2:1', '3:1']);
  await backup.putBack();
  stripe.forgetKeys();
  expect(await ourNames(scenario)).toEqual(['1:1']);

  await markRestored();
  await until(async () => (await alarms(scenario)) === 1);
  await reconcileCharges();
  expect(await ourNames(scenario)).toEqual(['1:1', '2:1', '3:1']);
  const unmatched = await scenarios.app.pool.query('SELECT idempotency_key AS name FROM unmatched_payments');
  expect(unmatched.rows).toEqual([{ name: `${later.id}:1:1` }]);

  const token = await tokenOfCharge(scenarios.app, `${scenario.id}:3:1`);
  const { body } = await call(scenarios.app, 'GET', '/payments/transactions', undefined, scenario.shop.merchant);
  expect(JSON.stringify(body)).toContain(token);
  expect((await refund(scenarios.app, scenario.shop.merchant, token)).status).toBe(200);
  await refunded(scenarios.app, token);
  expect(stripe.refunds).toHaveLength(1);

  await scenario.advanceDays(93);
  expect(paidNames(scenario.id)).toEqual(['1:1', '2:1', '3:1', '4:1']);
  expect(await ourNames(scenario)).toEqual(['1:1', '2:1', '3:1', '4:1']);
  expect(await reconcileCharges()).toMatchObject({ different: [] });
});

/** A taxed shop, and a purchase by another customer each time `buy` is called. */
async function createTaxedSales() {
  const shop = await createShop(scenarios.app);
  await nameSeller(scenarios.app, shop);
  const buy = async () => {
    const consumer = await createConsumer(scenarios.app, shop.merchant);
    const { body } = await subscribe(scenarios.app, { ...shop, consumer });
    await reaches(scenarios.app, consumer, body.subscription_id, 'active');
    return body.subscription_id;
  };
  return { shop, buy };
}

test('npm run restored: documents continue in a new series, so no number that a customer has is issued again', async () => {
  const { app } = scenarios;
  const { shop, buy } = await createTaxedSales();
  const known = await buy();
  const backup = await takeBackup(app.pool);
  await buy();
  await buy();
  const before = (await issued(app, shop.merchant)).map(({ number }) => number);
  const seen: { series: string; number: string }[] = [];
  for (const restore of [1, 2]) {
    await backup.putBack();
    stripe.forgetKeys();
    await passSecond();
    const { lostNumbers } = await markRestored();
    const [lost, ...others] = lostNumbers.filter(({ merchantId }) => merchantId === shop.merchant.id);
    expect(lost).toMatchObject({
      series: expect.stringMatching(/^R\d{12}$/) as string,
      lastKnown: before[0],
      firstLost: before[1],
    });
    expect(others).toEqual([]);
    await buy();
    const token = await tokenOfCharge(app, `${known}:1:1`);
    if (restore === 1) await refund(app, shop.merchant, token);
    await until(async () => (await issued(app, shop.merchant)).length === (restore === 1 ? 3 : 2));
    const [first, ...later] = await issued(app, shop.merchant);
    expect(first?.number).toBe(before[0]);
    expect(later.map(({ kind, sequence_no: no }) => [kind, no])).toEqual(
      restore === 1
        ? [
            ['invoice', 1],
            ['credit_note', 2],
          ]
        : [['invoice', 1]],
    );
    expect(later.map(({ series }) => series)).toEqual(later.map(() => lost?.series));
    seen.push(...later);
  }
  const numbers = [...before, ...seen.map(({ number }) => number)];
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(new Set(seen.map(({ series }) => series)).size).toBe(2);
});

test('npm run restored: a merchant without documents has lost numbers from the first one on, and one without tax has none', async () => {
  const { shop, buy } = await createTaxedSales();
  const plain = await createShop(scenarios.app);
  const { lostNumbers } = await markRestored();
  const of = ({ merchant }: Shop) => lostNumbers.filter(({ merchantId }) => merchantId === merchant.id);
  expect(of(shop)).toMatchObject([
    { lastKnown: null, firstLost: expect.stringMatching(/^TEST-\d{4}-000001$/) as string },
  ]);
  expect(of(plain)).toEqual([]);
  await buy();
  await passSecond();
  const again = (await markRestored()).lostNumbers.filter(({ merchantId }) => merchantId === shop.merchant.id);
  const [invoice] = await issued(scenarios.app, shop.merchant);
  expect(again).toMatchObject([{ lastKnown: invoice?.number, firstLost: invoice?.number.replace(/1$/, '2') }]);
  const change = 'DELETE FROM invoice_series WHERE merchant_id = $1';
  await expect(scenarios.app.pool.query(change, [shop.merchant.id])).rejects.toThrow('does not change');
});

/** A series is named by the second in which it begins. */
async function passSecond(): Promise<void> {
  const readSecond = async () =>
    (await scenarios.app.pool.query<{ at: string }>(`SELECT date_trunc('second', now())::text AS at`)).rows[0]?.at;
  const present = await readSecond();
  await until(async () => (await readSecond()) !== present);
}

test('without npm run restored: the first run that is ahead of its row marks the restore, and no period is paid twice', async () => {
  const scenario = await scenarios.subscribe();
  // A restore that was marked within an hour would be the same one.
  await scenarios.app.pool.query('DELETE FROM restorations');
  const backup = await takeBackup(scenarios.app.pool);
  await scenario.advanceDays(31);
  await scenario.advanceDays(31);
  await backup.putBack();
  stripe.forgetKeys();

  await scenario.advanceDays(124);
  expect(await alarms(scenario)).toBe(1);
  const series = 'SELECT name FROM invoice_series WHERE merchant_id = $1';
  expect((await scenarios.app.pool.query(series, [scenario.shop.merchant.id])).rows).toHaveLength(1);
  expect(paidNames(scenario.id)).toEqual(['1:1', '2:1', '3:1', '4:1', '5:1']);
  expect(await ourNames(scenario)).toEqual(['1:1', '2:1', '3:1', '4:1', '5:1']);
});

async function reportLost(subscriptionId: number): Promise<void> {
  const { findBehind, reportBehind } = await import('../../src/subscriptions/restorations.js');
  const lost = findBehind({ subscriptionId, version: 2, workflowId: `subscription-lost-${subscriptionId}` }, undefined);
  if (lost) await reportBehind(lost);
}

const seriesOf = async ({ merchant }: Shop) =>
  (await scenarios.app.pool.query('SELECT FROM invoice_series WHERE merchant_id = $1', [merchant.id])).rows.length;

test('the run of a lost purchase that wakes long after npm run restored begins no series', async () => {
  const { pool } = scenarios.app;
  const shop = await createShop(scenarios.app);
  const { rows } = await pool.query<{ last: number }>('SELECT last_value::int AS last FROM subscriptions_id_seq');
  const last = rows[0]?.last ?? 0;
  await markRestored();
  const marked = await seriesOf(shop);
  const passHours = () => pool.query(`UPDATE restorations SET restored_at = restored_at - interval '2 hours'`);
  for (const id of [last + 1, last + 100_000]) {
    await passHours();
    await passSecond();
    await reportLost(id);
    expect(await seriesOf(shop)).toBe(marked);
  }
  // These ids were used before the backup, and after the restore: another backup was restored.
  for (const [index, id] of [last, last + 100_001].entries()) {
    await passHours();
    await passSecond();
    await reportLost(id);
    expect(await seriesOf(shop)).toBe(marked + index + 1);
  }
});

test('several runs that report at once mark one restore', async () => {
  const { pool } = scenarios.app;
  await pool.query('DELETE FROM restorations');
  const shop = await createShop(scenarios.app);
  const before = await seriesOf(shop);
  await Promise.all([1, 2, 3, 4, 5].map((id) => reportLost(2_000_000_000 + id)));
  expect((await pool.query('SELECT FROM restorations')).rows).toHaveLength(1);
  expect(await seriesOf(shop)).toBe(before + 1);
});

test('refunded: a refund that was sent after the backup is not sent again', async () => {
  const scenario = await scenarios.subscribe();
  const token = await tokenOfCharge(scenarios.app, `${scenario.id}:1:1`);
  expect((await refund(scenarios.app, scenario.shop.merchant, token, { amount: '1.00' })).status).toBe(200);
  const [made] = await refunded(scenarios.app, token);
  const before = stripe.refunds.length;
  // The backup is from the moment before the answer was stored.
  await scenarios.app.pool.query(
    `UPDATE refunds SET state = 'open', reference = NULL, settled_at = NULL WHERE token = $1`,
    [made?.token],
  );
  await scenarios.app.pool.query('DELETE FROM events WHERE dedupe_key LIKE $1', [`%${made?.token}%`]);
  const ofRefund = 'DELETE FROM credit_losses WHERE refund_id = (SELECT id FROM refunds WHERE token = $1)';
  await scenarios.app.pool.query(ofRefund, [made?.token]);
  stripe.forgetKeys();
  await markRestored();
  const { sendRefund } = await import('../../src/subscriptions/refunds/sending.js');
  const { rows: open } = await scenarios.app.pool.query<{ id: number }>('SELECT id FROM refunds WHERE token = $1', [
    made?.token,
  ]);
  expect(await sendRefund(open[0]?.id ?? 0)).toEqual({ outcome: 'refunded' });
  expect(stripe.refunds).toHaveLength(before);
});

test('npm run restored: a client that has seen events of the lost time misses no later event', async () => {
  const { app } = scenarios;
  const scenario = await scenarios.subscribe();
  const history = async (after: number) => {
    const path = `/notifications/history?after=${after}&limit=100`;
    return (
      await call<{ collection: { id: number; type: string }[] }>(app, 'GET', path, undefined, scenario.shop.consumer)
    ).body.collection;
  };
  const backup = await takeBackup(app.pool);
  await scenario.advanceDays(31);
  await scenario.advanceDays(31);
  const lost = Math.max(...(await history(0)).map(({ id }) => id));
  await backup.putBack();
  await markRestored();
  await until(async () => (await alarms(scenario)) === 1);
  await passDays(app, scenario.shop.merchant, 31);
  // The run that was ahead of its row may still be ending.
  await until(async () => (await history(lost)).some(({ type }) => type === 'subscribe.renewed'));
  const seen = await history(lost);
  expect(seen).toEqual((await history(0)).slice(-seen.length));
});
