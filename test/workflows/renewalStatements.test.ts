import type * as Lifecycle from '../../src/subscriptions/lifecycle/lifecycle';
import type * as Periods from '../../src/subscriptions/lifecycle/periods';
import type * as Runs from '../../src/subscriptions/lifecycle/runs';
import { cards, createShop, subscribe } from '../support/factories';
import { roundTripsOf } from '../support/roundTrips';
import { startApp, type TestApp } from '../support/startApp';
import { type SubscriptionSnapshot } from '../../workflows/messages';

/** What a renewal costs the database: each statement is a round trip of a worker. */

let app: TestApp;
let lifecycle: typeof Lifecycle;
let periods: typeof Periods;
let runs: typeof Runs;

// No worker runs here: the steps are called by hand.
beforeAll(async () => {
  app = await startApp();
  lifecycle = await import('../../src/subscriptions/lifecycle/lifecycle.js');
  periods = await import('../../src/subscriptions/lifecycle/periods.js');
  runs = await import('../../src/subscriptions/lifecycle/runs.js');
});

afterAll(() => app.stop());

const run = { runId: 'a-run' };

/** A subscription with its first period, and the steps of its next renewals. */
async function begin() {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.success);
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [body.subscription_id]);
  const subscriptionId = rows[0]?.id ?? 0;
  await lifecycle.chargeFirstPeriod({ subscriptionId, cycle: 1, attempt: 1 }, run);
  let { snapshot } = await lifecycle.activateSubscription(subscriptionId, run);
  const step = () => ({ subscriptionId, version: snapshot.version, atMs: snapshot.periodEndMs });
  const charge = async (): Promise<void> => {
    const charged = await lifecycle.chargeNextPeriod({ ...step(), dueAtMs: snapshot.periodEndMs }, run);
    expect(charged).toMatchObject({ outcome: { outcome: 'paid' } });
    snapshot = (charged as { snapshot: SubscriptionSnapshot }).snapshot;
  };
  const record = async () => {
    snapshot = await periods.renewSubscription({ ...step(), atMs: snapshot.periodEndMs - 1 }, run);
  };
  const start = () => runs.readSubscription({ subscriptionId, version: snapshot.version }, run);
  return { charge, record, start };
}

test('a renewal waits for 30 statements, which include those that begin and end transactions', async () => {
  const { charge, record, start } = await begin();
  // The first one opens connections and fills the caches.
  await charge();
  await record();
  const sent = [await roundTripsOf(charge), await roundTripsOf(record), await roundTripsOf(start)];
  expect(sent).toEqual([
    // The period begins, its charge is opened, and the answer of the provider is written.
    [
      'START',
      'SELECT subscriptions',
      'subscription_event_facts',
      'SELECT merchant_settings',
      'access_grant',
      'UPDATE subscriptions',
      'subscription_transition',
      'COMMIT',
      'restoration_row_version',
      'START',
      'charge_open_cycle',
      'customer_balance_lock',
      'COMMIT',
      'charge_card_limits',
      'charge_settle',
    ],
    // The payment is recorded, with its mail and its event.
    [
      'START',
      'SELECT subscriptions',
      'subscription_event_facts',
      'charge_paid',
      'access_grant_until',
      'mail_promise',
      'UPDATE subscriptions',
      'subscription_transition',
      'events_publish',
      'COMMIT',
    ],
    // The run of the next period reads its row.
    ['START', 'SELECT subscriptions', 'clock_state', 'charge_not_accounted_for', 'COMMIT'],
  ]);
  expect(sent.flat()).toHaveLength(30);
});
