import { findFaults } from '../support/books';
import { call } from '../support/client';
import { cards, createFee, createShop, reaches } from '../support/factories';
import { chargesOf, eventsOf, takenFor } from '../support/ledger';
import {
  approveSilently,
  changeCardOutcome,
  startScenarios,
  type SubscriptionScenario,
  type Scenarios,
} from '../support/scenarios';
import { beginAgain, loseRun, startStoppingAt } from '../support/lostRuns';
import { subscribeWithAuthentication } from '../support/payer';
import { storeChange } from '../support/storedChanges';
import { failToRenew, passDays } from '../support/testClock';
import { until } from '../support/until';

/** The run of a subscription is lost. The next one begins from the row, in any state. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

const card = { number: '4111111111111111', card_name: 'Ana Petrova', exp_month: 2, exp_year: 2040, cvv: '123' };

const cycles = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id)).map(({ cycle, status }) => [cycle, status]);

/** Loses the run at the charge of the second cycle. No worker runs afterwards. */
async function loseRunAtCharge(
  scenario: SubscriptionScenario,
  when: 'before' | 'after',
  act: () => Promise<unknown>,
): Promise<void> {
  const worker = await startStoppingAt(2, when);
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
  const acted = act();
  await until(worker.isReached);
  await loseRun(scenarios, scenario);
  await Promise.all([worker.stop(), acted]);
}

describe('a run that is lost in the middle of a step', () => {
  test.each(['before', 'after'] as const)(
    'subscribe.renewed: a period has begun, and its run is lost %s the charge: it is charged once',
    async (when) => {
      const scenario = await scenarios.subscribe();
      await loseRunAtCharge(scenario, when, () => passDays(scenarios.app, scenario.shop.merchant, 32));
      expect(await scenario.row()).toMatchObject({ status: 'active' });
      const worker = await scenarios.app.startWorker();
      await until(async () => (await eventsOf(scenarios.app, scenario.id)).includes('subscribe.renewed'));
      await scenario.advanceDays(1);
      expect(
        await findFaults(scenarios.app.pool, scenario.id, {
          charged: 2,
          events: ['access.granted', 'subscribe.success', 'subscribe.renewed'],
        }),
      ).toEqual([]);
      const [, second] = await chargesOf(scenarios.app, scenario.id);
      const { current_period_start: startsAt } = await scenario.row();
      expect(second?.settled?.getTime()).toBe(
        new Date(startsAt * 1000).getTime() + (second?.settled?.getMilliseconds() ?? 0),
      );
      await worker.stop();
    },
  );

  test('subscribe.renewed: a look-up finds the renewal paid, and its run is lost: it is not charged again', async () => {
    const scenario = await scenarios.subscribe();
    const first = await scenarios.app.startWorker();
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
    await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
    await failToRenew(scenarios.app, scenario.shop, scenario.id);
    await first.stop();
    await approveSilently(scenarios.app, scenario);
    const stopping = await startStoppingAt(2, 'found paid');
    await loseRun(scenarios, scenario);
    await until(stopping.isReached);
    await loseRun(scenarios, scenario);
    await stopping.stop();
    expect(await scenario.row()).toMatchObject({ status: 'past_due' });
    const worker = await scenarios.app.startWorker();
    expect(await scenario.advanceDays(5)).toMatchObject({ status: 'active' });
    expect(await cycles(scenario)).toEqual([
      [1, 'paid'],
      [2, 'paid'],
    ]);
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
    await worker.stop();
  });

  test('subscribe.renewed: a period has begun, and a change of the time before it arrives late: the period is charged first', async () => {
    const scenario = await scenarios.subscribe();
    await loseRunAtCharge(scenario, 'before', () => passDays(scenarios.app, scenario.shop.merchant, 32));
    await storeChange(scenario.id, { kind: 'cancel', at: 'period_end', reason: '' }, Date.now());
    const worker = await scenarios.app.startWorker();
    await until(async () => (await scenario.row()).cancel_at_period_end);
    expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
      'access.granted',
      'subscribe.success',
      'subscribe.renewed',
      'subscribe.cancelled.success',
    ]);
    await worker.stop();
  });

  test('subscribe.updated: a plan change was paid and its run is lost; the money is refunded', async () => {
    const scenario = await scenarios.subscribe();
    const { merchant, item } = scenario.shop;
    const dear = await createFee(scenarios.app, merchant, item.id, { amount: '99.00' });
    await scenarios.app.pool.query('UPDATE items SET plan_switch_enabled = true WHERE id = $1', [item.id]);
    await loseRunAtCharge(scenario, 'after', () => scenario.request('switch', { access_fee_id: dear.id, mode: 'now' }));
    const worker = await scenarios.app.startWorker();
    const given = () =>
      scenarios.app.pool.query(
        `SELECT FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
         WHERE s.token = $1 AND c.cycle = 2 AND c.status = 'paid' AND c.refunded_minor = c.amount_minor`,
        [scenario.id],
      );
    await until(async () => (await given()).rows.length === 1);
    await scenario.advanceDays(32);
    expect(await cycles(scenario)).toEqual([
      [1, 'paid'],
      [2, 'paid'],
      [3, 'paid'],
    ]);
    await worker.stop();
  });
});

describe('a change that was accepted while no worker ran, and whose message is lost with the run', () => {
  /** Makes the request without a worker, loses its message, and starts a worker. */
  async function loseRequest(scenario: SubscriptionScenario, act: () => Promise<{ status: number }>): Promise<void> {
    const first = await scenarios.app.startWorker();
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
    await first.stop();
    expect([200, 202]).toContain((await act()).status);
    await until(async () => (await scenarios.app.pool.query('SELECT FROM outbox')).rows.length === 0);
    await loseRun(scenarios, scenario);
  }

  const stored = async ({ id }: SubscriptionScenario) => {
    const text = 'SELECT jsonb_array_length(requests) AS count FROM subscriptions WHERE token = $1';
    return (await scenarios.app.pool.query<{ count: number }>(text, [id])).rows[0]?.count;
  };

  /** Waits until a run has carried out what is stored. The relay sends its message at once, and not after five seconds. */
  async function areCarriedOut(scenario: SubscriptionScenario): Promise<void> {
    const send = 'UPDATE outbox SET available_at = now() WHERE workflow_id = $1';
    const isDone = async () => (await stored(scenario)) === 0;
    const areDue = async () => (await scenarios.app.pool.query(send, [`subscription-${scenario.id}`])).rowCount !== 0;
    await until(async () => (await isDone()) || (await areDue()));
    await until(isDone);
  }

  /** How often the history has the step. */
  const taken = async ({ id }: SubscriptionScenario, reason: string) => {
    const text = `SELECT FROM subscription_events t JOIN subscriptions s ON s.id = t.subscription_id
      WHERE s.token = $1 AND t.reason = $2`;
    return (await scenarios.app.pool.query(text, [id, reason])).rows.length;
  };

  test.each([
    ['pause', 'pause planned', {}],
    ['extend', 'extended', { days: 3 }],
  ])('%s: the next run carries it out once', async (what, reason, body) => {
    const scenario = await scenarios.subscribe();
    const { merchant } = scenario.shop;
    const path = `/subscriptions/${scenario.id}/${what}`;
    await loseRequest(scenario, () => call(scenarios.app, 'POST', path, body, merchant));
    expect([await stored(scenario), await taken(scenario, reason)]).toEqual([1, 0]);
    const worker = await scenarios.app.startWorker();
    await areCarriedOut(scenario);
    await loseRun(scenarios, scenario);
    await scenario.advanceDays(1);
    expect([await stored(scenario), await taken(scenario, reason)]).toEqual([0, 1]);
    await worker.stop();
  });

  test('a new card: the next run uses it once', async () => {
    const scenario = await scenarios.subscribe();
    const newCard = { ...card, currency_iso: 'EUR' };
    await loseRequest(scenario, () => scenario.send('PUT', '/v2/payments/cards/default', newCard));
    const worker = await scenarios.app.startWorker();
    await areCarriedOut(scenario);
    expect((await scenario.row()).payment_tool_info).toBe('1111');
    await loseRun(scenarios, scenario);
    await scenario.advanceDays(1);
    expect(await taken(scenario, 'new card')).toBe(1);
    await worker.stop();
  });

  test('a request that the next run must refuse is not kept', async () => {
    const scenario = await scenarios.subscribe();
    await loseRequest(scenario, () => scenario.request('retry', {}));
    const worker = await scenarios.app.startWorker();
    await areCarriedOut(scenario);
    expect(await cycles(scenario)).toEqual([[1, 'paid']]);
    await worker.stop();
  });

  test('a cancellation of a first payment that fails is not kept', async () => {
    const scenario = await scenarios.subscribe(cards.declined);
    expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`)).status).toBe(200);
    expect(await stored(scenario)).toBe(1);
    const worker = await scenarios.app.startWorker();
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'incomplete_expired');
    expect(await stored(scenario)).toBe(0);
    await worker.stop();
  });

  test('two requests are carried out in their order', async () => {
    const scenario = await scenarios.subscribe();
    await loseRequest(scenario, async () => {
      await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
      return scenario.request('resume', {});
    });
    expect(await stored(scenario)).toBe(2);
    const worker = await scenarios.app.startWorker();
    await areCarriedOut(scenario);
    const history = `SELECT t.reason FROM subscription_events t JOIN subscriptions s ON s.id = t.subscription_id
      WHERE s.token = $1 ORDER BY t.sequence DESC LIMIT 2`;
    const { rows } = await scenarios.app.pool.query<{ reason: string }>(history, [scenario.id]);
    expect(rows.map(({ reason }) => reason)).toEqual(['renewal turned on again', 'canceled at the period’s end']);
    await worker.stop();
  });
});

describe('a run that is lost while it waits', () => {
  beforeAll(() => scenarios.startWorker());

  test('subscribe.success: for a payer, who approves without a run', async () => {
    const shop = await createShop(scenarios.app);
    const { id } = await subscribeWithAuthentication(scenarios.app, shop);
    const handle = scenarios.temporal.client.workflow.getHandle(`subscription-${id}`);
    await handle.terminate();
    await approveSilently(scenarios.app, { id });
    await beginAgain(scenarios, id);
    await reaches(scenarios.app, shop.consumer, id, 'active');
    expect(await findFaults(scenarios.app.pool, id)).toEqual([]);
  });

  test('subscribe.failed: for a payer, whose time was over before the loss', async () => {
    const shop = await createShop(scenarios.app);
    const { id } = await subscribeWithAuthentication(scenarios.app, shop);
    await scenarios.temporal.client.workflow.getHandle(`subscription-${id}`).terminate();
    await passDays(scenarios.app, shop.merchant, 2);
    await beginAgain(scenarios, id);
    await reaches(scenarios.app, shop.consumer, id, 'incomplete_expired');
  });

  test('trial.converted: for the end of a trial', async () => {
    const scenario = await scenarios.subscribe(cards.success, { trial: [7, 'day'] });
    await loseRun(scenarios, scenario);
    expect(await scenario.advanceDays(8)).toMatchObject({ status: 'active' });
    expect(await cycles(scenario)).toEqual([[1, 'paid']]);
  });

  test('subscribe.expired: for the end of a canceled period', async () => {
    const scenario = await scenarios.subscribe();
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    await loseRun(scenarios, scenario);
    expect(await scenario.advanceDays(32)).toMatchObject({ status: 'canceled' });
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  });

  test('subscribe.renewed: for the next attempt of a failed payment', async () => {
    const scenario = await scenarios.subscribe(cards.declinedOnceAtRenewal);
    await failToRenew(scenarios.app, scenario.shop, scenario.id);
    await loseRun(scenarios, scenario);
    expect(await scenario.advanceDays(5)).toMatchObject({ status: 'active' });
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  });

  test('subscribe.renewed: for the payer of a renewal, who approves without a run', async () => {
    const scenario = await scenarios.subscribe();
    await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
    await failToRenew(scenarios.app, scenario.shop, scenario.id);
    await approveSilently(scenarios.app, scenario);
    await loseRun(scenarios, scenario);
    await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  });

  test('subscribe.renewed: for the end of a pause', async () => {
    const scenario = await scenarios.subscribe();
    expect((await scenario.request('pause')).status).toBe(200);
    expect(await scenario.advanceDays(32)).toMatchObject({ status: 'paused' });
    await loseRun(scenarios, scenario);
    expect((await scenario.request('resume')).status).toBe(200);
    expect(await scenario.row()).toMatchObject({ status: 'active' });
  });

  test('steps that were due without a run get the time when they were due, by the merchant’s clock', async () => {
    const scenario = await scenarios.subscribe();
    const { current_period_end: endsAt } = await scenario.row();
    await scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).terminate();
    await passDays(scenarios.app, scenario.shop.merchant, 95);
    await beginAgain(scenarios, scenario.id);
    await until(async () => (await takenFor(scenarios.app, scenario.id)).length === 4);
    const [, second] = await chargesOf(scenarios.app, scenario.id);
    expect(Math.floor((second?.created.getTime() ?? 0) / 1000)).toBe(endsAt);
  });
});

describe('a subscription', () => {
  test('with 14 monthly renewals has a run for each period, with a short history', async () => {
    const scenario = await scenarios.subscribe();
    const lengths: number[] = [];
    for (let month = 1; month <= 14; month += 1) {
      await scenario.advanceDays(31);
      const handle = scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`);
      lengths.push((await handle.describe()).historyLength);
    }
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(15);
    expect(Math.max(...lengths)).toBeLessThan(60);
  });
});
