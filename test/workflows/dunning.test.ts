import { periodEnd } from '../../src/subscriptions/billing/periods';
import { call } from '../support/client';
import { cards } from '../support/factories';
import { chargesOf, eventsOf, mailsTo, takenFor } from '../support/ledger';
import { approveSilently, changeCardOutcome, startLives, type Lived, type Lives } from '../support/lives';
import { until } from '../support/until';

/** What follows a renewal that is declined. */

let lives: Lives;

/** Of the month that a subscription of today pays for. */
const monthDays = Math.round(
  (periodEnd(new Date(), 1, { quantity: 1, period: 'month' }).getTime() - Date.now()) / 86_400_000,
);

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test('subscribe.past_due: access goes on, and the next try brings the period as it was', async () => {
  const life = await lives.begin(cards.declinedOnceAtRenewal);
  const { current_period_end: firstEnd } = await life.row();
  const failed = await life.pass(monthDays + 0.5);
  expect(failed).toMatchObject({ status: 'past_due', action_type: 'recurrent', failure_reason: 'insufficient_funds' });
  expect(failed.grace_ends_at).toBe(firstEnd + 7 * 86_400);
  expect(failed.next_retry_at).toBe(firstEnd + 86_400);
  expect(await life.hasAccess()).toBe(true);
  const recovered = await life.pass(2);
  expect(recovered).toMatchObject({ status: 'active', current_period_start: firstEnd });
  expect(recovered.current_period_end).toBe(failed.current_period_end);
  expect(await takenFor(lives.app, life.id)).toHaveLength(2);
  expect(await eventsOf(lives.app, life.id)).toEqual([
    'access.granted',
    'subscribe.success',
    'subscription.rebill.failed',
    'subscribe.past_due',
    'subscribe.renewed',
  ]);
  const mails = ['receipt', 'payment_failed', 'payment_recovered'];
  expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(mails);
});

test('subscription.rebill.failed: each try, as older back ends read it', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  await life.pass(32.5);
  const text = `SELECT resource FROM events WHERE type = 'subscription.rebill.failed' AND dedupe_key LIKE $1 ORDER BY sequence`;
  const { rows } = await lives.app.pool.query<{ resource: { timestamp: number } }>(text, [`${life.id}:%`]);
  const resource = {
    code: 402,
    attempted_charge_amount: '9.99',
    full_amount: '9.99',
    currency_iso: 'EUR',
    item_id: life.shop.item.id,
    merchant_id: life.shop.merchant.id,
    subscription_token: life.id,
    payment_method: 'card',
    message: 'Subscription rebill failed',
    timestamp: expect.any(Number) as number,
  };
  expect(rows.slice(0, 2).map((row) => row.resource)).toEqual([resource, resource]);
  const [first, second] = rows.map((row) => row.resource.timestamp);
  expect((second ?? 0) - (first ?? 0)).toBe(86_400_000);
});

test('subscribe.expired: on hold after the days of grace, expired after the last try', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  const { current_period_end: firstEnd } = await life.row();
  expect(await life.pass(39)).toMatchObject({ status: 'on_hold' });
  expect(await life.hasAccess()).toBe(false);
  expect(await life.pass(20)).toMatchObject({ status: 'expired', action_type: 'ended' });
  const tries = (await chargesOf(lives.app, life.id)).filter(({ cycle }) => cycle === 2);
  expect(tries.map(({ created }) => Math.round((created.getTime() / 1000 - firstEnd) / 86_400))).toEqual([
    0, 1, 3, 7, 14, 21,
  ]);
  expect(await takenFor(lives.app, life.id)).toHaveLength(1);
  expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual([
    'receipt',
    'payment_failed',
    'payment_reminder',
    'access_ends',
    'subscription_on_hold',
    'subscription_ended',
  ]);
});

test('subscribe.renewed: put off by the provider, it is tried again in an hour', async () => {
  const life = await lives.begin(cards.busyAtRenewal);
  expect(await life.pass(monthDays + 0.5)).toMatchObject({ status: 'active' });
  const [, first, second] = await chargesOf(lives.app, life.id);
  expect((second?.created.getTime() ?? 0) - (first?.created.getTime() ?? 0)).toBe(3_600_000);
});

describe('a card that was lost', () => {
  test('subscribe.past_due: nothing is tried until a new card comes', async () => {
    const life = await lives.begin(cards.lostAtRenewal);
    expect(await life.pass(monthDays + 5)).toMatchObject({ status: 'past_due', next_retry_at: 0 });
    expect((await chargesOf(lives.app, life.id)).filter(({ cycle }) => cycle === 2)).toHaveLength(1);
    expect(await mailsTo(lives.app, life.shop.consumer.id)).toContain('card_needed');
    expect(await life.ask('retry')).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
  });

  test('subscribe.renewed: on hold, the new card begins a new period', async () => {
    const life = await lives.begin(cards.lostAtRenewal);
    expect(await life.pass(45)).toMatchObject({ status: 'on_hold' });
    const card = {
      number: cards.success,
      card_name: 'Ana',
      exp_month: 1,
      exp_year: 2041,
      cvv: 123,
      currency_iso: 'EUR',
    };
    expect((await life.send('PUT', '/v2/payments/cards/default', card)).status).toBe(200);
    const row = await life.pass(0.01);
    expect(row).toMatchObject({ status: 'active' });
    expect(row.current_period_end).toBeGreaterThan(row.current_period_start + 27 * 86_400);
    expect(await life.hasAccess()).toBe(true);
    expect((await eventsOf(lives.app, life.id)).slice(-2)).toEqual(['access.granted', 'subscribe.renewed']);
  });
});

test('subscribe.cancelled.success: past due, a cancellation is at once', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  await life.pass(monthDays + 0.5);
  await life.send('DELETE', `/subscriptions/${life.id}`);
  expect(await life.row()).toMatchObject({ status: 'canceled' });
  expect(await life.hasAccess()).toBe(false);
});

test('subscribe.requires.action: a renewal that must be confirmed is past due until it is', async () => {
  const life = await lives.begin(cards.success);
  await changeCardOutcome(lives.app, life, 'needs_authentication');
  expect(await life.pass(monthDays + 0.5)).toMatchObject({
    status: 'past_due',
    failure_reason: 'authentication_required',
  });
  const { rows } = await lives.app.pool.query<{ reference: string }>(
    `SELECT reference FROM charges WHERE status = 'requires_action' AND idempotency_key LIKE $1`,
    [`${life.id}:%`],
  );
  await call(lives.app, 'POST', `/sandbox/authenticate/${rows[0]?.reference}`, { answer: 'approved' });
  expect(await life.pass(0.01)).toMatchObject({ status: 'active' });
});

describe('a renewal that its payer has approved in the moment of the cancellation', () => {
  let life: Lived;

  beforeEach(async () => {
    life = await lives.begin(cards.success);
    await changeCardOutcome(lives.app, life, 'needs_authentication');
    await life.pass(monthDays + 0.5);
  });

  test.each([[{}], [{ at: 'now' }]])(
    'subscribe.cancelled.success: the period stays, and is the last: %j',
    async (fields) => {
      await approveSilently(lives.app, life);
      await life.send('DELETE', `/subscriptions/${life.id}`, fields);
      expect(await life.row()).toMatchObject({ status: 'active', cancel_at_period_end: true, grace_ends_at: 0 });
      expect(await takenFor(lives.app, life.id)).toHaveLength(2);
      expect(await life.hasAccess()).toBe(true);
      expect(await life.pass(31)).toMatchObject({ status: 'canceled' });
      expect(await takenFor(lives.app, life.id)).toHaveLength(2);
      const events = await eventsOf(lives.app, life.id);
      expect(events.filter((type) => type.startsWith('subscribe.')).slice(-3)).toEqual([
        'subscribe.renewed',
        'subscribe.cancelled.success',
        'subscribe.expired',
      ]);
    },
  );

  test('subscribe.expired: what nobody has approved is void, and cannot be approved any more', async () => {
    await life.send('DELETE', `/subscriptions/${life.id}`);
    expect(await life.row()).toMatchObject({ status: 'canceled' });
    await approveSilently(lives.app, life);
    expect(await takenFor(lives.app, life.id)).toHaveLength(1);
  });

  test('subscribe.expired: a provider that is away is asked again after a while, not at once', async () => {
    const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
    const provider = { ...cardProvider };
    let calls = 0;
    cardProvider.voidCharge = (...of) => {
      calls += 1;
      return calls > 2 ? provider.voidCharge(...of) : Promise.resolve({ outcome: 'unknown' });
    };
    await life.send('DELETE', `/subscriptions/${life.id}`);
    await until(async () => (await life.row()).status === 'canceled');
    Object.assign(cardProvider, provider);
    expect(calls).toBe(3);
    const timers = (await lives.temporal.history(life.id)).match(/"startToFireTimeout": ?"[12]s"/g);
    expect(timers).toHaveLength(2);
  });
});

test('subscribe.expired: the merchant’s own days count', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  const fields = { grace_days: 2, retry_days: [1, 4] };
  expect((await call(lives.app, 'PUT', '/accounts/settings', fields, life.shop.merchant)).body).toMatchObject(fields);
  expect(await life.pass(monthDays + 2.5)).toMatchObject({ status: 'on_hold' });
  expect(await life.pass(2)).toMatchObject({ status: 'expired' });
  expect(await chargesOf(lives.app, life.id)).toHaveLength(4);
});

test('an operator finds what is past due, why, and reads what it waits for', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  await life.pass(monthDays + 0.5);
  const { client } = lives.temporal;
  const query = `PaywallMerchant = ${life.shop.merchant.id} AND PaywallState = 'past_due'
    AND PaywallFailureReason = 'declined' AND TaskQueue = '${process.env['TEMPORAL_TASK_QUEUE']}'`;
  const found = await until(async () => {
    for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
    return undefined;
  });
  expect(found).toBe(`subscription-${life.id}`);
  const handle = client.workflow.getHandle(found);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toMatch(/^### Past due\nThe payment failed .*; tries so far: 1\.\nNext: next try to charge, /);
  expect(await handle.query('standing')).toMatchObject({ state: 'past_due', next: { what: 'retry' } });
});
