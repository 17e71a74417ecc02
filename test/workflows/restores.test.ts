import { markRestored, reconcileCharges, takeBackup } from '../support/backups';
import { call } from '../support/client';
import { chargesOf, tokenOfCharge } from '../support/ledger';
import { startStripeScenarios, type SubscriptionScenario, type StripeScenarios } from '../support/scenarios';
import { refund, refunded } from '../support/payments';
import { type StripeServer } from '../support/stripeServer';
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

test('without npm run restored: the first run that is ahead of its row marks the restore, and no period is paid twice', async () => {
  const scenario = await scenarios.subscribe();
  const backup = await takeBackup(scenarios.app.pool);
  await scenario.advanceDays(31);
  await scenario.advanceDays(31);
  await backup.putBack();
  stripe.forgetKeys();

  await scenario.advanceDays(124);
  expect(await alarms(scenario)).toBe(1);
  expect(paidNames(scenario.id)).toEqual(['1:1', '2:1', '3:1', '4:1', '5:1']);
  expect(await ourNames(scenario)).toEqual(['1:1', '2:1', '3:1', '4:1', '5:1']);
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
  await scenario.advanceDays(31);
  const seen = await history(lost);
  expect(seen.map(({ type }) => type)).toContain('subscribe.renewed');
  expect(seen).toEqual((await history(0)).slice(-seen.length));
});
