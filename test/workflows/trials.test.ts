import { call } from '../support/client';
import {
  cards,
  createItem,
  createFee,
  createShop,
  purchase,
  subscribe,
  reaches,
  type Submitted,
} from '../support/factories';
import { chargesOf, eventsOf, mailsTo } from '../support/ledger';
import { giveTrial, startScenarios, type Scenarios } from '../support/scenarios';
import { receives } from '../support/mailbox';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** Trials before the first charge, once for each customer. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

test('trial.converted: access at once, a reminder, and the first charge with the setup fee at its end', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { setup_fee_amount: '5.00' }, trial: [7, 'day'] });
  const trial = await scenario.row();
  expect(trial).toMatchObject({ status: 'trialing', action_type: 'free-trial' });
  expect(trial.trial_end).toBe(trial.current_period_end);
  expect(await scenario.hasAccess()).toBe(true);
  expect(await chargesOf(scenarios.app, scenario.id)).toEqual([]);
  expect((await scenario.advanceDays(5)).status).toBe('trialing');
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['trial_ends']);
  const row = await scenario.advanceDays(3);
  expect(row).toMatchObject({ status: 'active', current_period_start: trial.trial_end });
  expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([
    { cycle: 1, attempt: 1, amount: 1499, status: 'paid' },
  ]);
  expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
    'access.granted',
    'subscribe.success',
    'trial.converted',
    'subscribe.renewed',
  ]);
});

test('trial_ends: the mail names the first charge, less its voucher and with the setup fee', async () => {
  const shop = await createShop(scenarios.app, { amount: '8.00', setup_fee_amount: '5.00' });
  await giveTrial(scenarios.app, shop.fee.id, [7, 'day']);
  const { code } = await createVoucher(scenarios.app, shop.merchant, { discount: 50 });
  const fields = { ...purchase(shop), voucher_code: code };
  const { body } = await call<Submitted>(scenarios.app, 'POST', '/subscriptions', fields, shop.consumer);
  await reaches(scenarios.app, shop.consumer, body.subscription_id, 'trialing');
  await scenarios.of(shop, body.subscription_id).advanceDays(5);
  const { text } = await receives(scenarios.app, shop.merchant, shop.consumer.email, 'trial_ends');
  expect(text).toContain('for €9.00');
});

test('subscribe.expired: canceled in the trial, it runs to the trial’s end and charges nothing', async () => {
  const scenario = await scenarios.subscribe(cards.success, { trial: [2, 'week'] });
  await scenario.cancel();
  expect(await scenario.row()).toMatchObject({ status: 'trialing', action_type: 'canceled' });
  expect(await scenario.hasAccess()).toBe(true);
  expect(await scenario.advanceDays(15)).toMatchObject({ status: 'canceled' });
  expect(await chargesOf(scenarios.app, scenario.id)).toEqual([]);
  expect(await scenario.hasAccess()).toBe(false);
});

test('subscribe.past_due: a trial whose first charge is declined', async () => {
  const scenario = await scenarios.subscribe(cards.declinedWhenCharged, { trial: [1, 'day'] });
  expect(await scenario.advanceDays(1.5)).toMatchObject({ status: 'past_due' });
});

test('subscribe.success: the second time the item costs its price at once', async () => {
  const scenario = await scenarios.subscribe(cards.success, { trial: [1, 'day'] });
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  const { body } = await subscribe(scenarios.app, scenario.shop);
  await reaches(scenarios.app, scenario.shop.consumer, body.subscription_id, 'active');
  expect(await chargesOf(scenarios.app, body.subscription_id)).toMatchObject([{ amount: 999, status: 'paid' }]);
});

test('subscribe.success: another item has a trial of its own', async () => {
  const scenario = await scenarios.subscribe(cards.success, { trial: [1, 'day'] });
  const { app } = scenarios;
  const item = await createItem(app, scenario.shop.merchant);
  const fee = await createFee(app, scenario.shop.merchant, item.id);
  await giveTrial(app, fee.id, [1, 'day']);
  const { body } = await subscribe(app, { ...scenario.shop, item, fee });
  await reaches(app, scenario.shop.consumer, body.subscription_id, 'trialing');
});

test('subscribe.renewed: what costs nothing needs no card, and asks no provider', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '0' } });
  expect((await scenario.advanceDays(32)).status).toBe('active');
  expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([{ amount: 0 }, { amount: 0, status: 'paid' }]);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual([]);
});

describe('without a card, where the fee allows it', () => {
  async function beginTrial(behaviour: 'cancel' | 'pause') {
    const shop = await createShop(scenarios.app);
    await giveTrial(scenarios.app, shop.fee.id, [7, 'day']);
    await scenarios.app.pool.query('UPDATE access_fees SET trial_end_behaviour = $2 WHERE id = $1', [
      shop.fee.id,
      behaviour,
    ]);
    const send = () =>
      call<Submitted>(scenarios.app, 'POST', '/subscriptions', { access_fee: shop.fee.id }, shop.consumer);
    const { body } = await send();
    await reaches(scenarios.app, shop.consumer, body.subscription_id, 'trialing');
    return { ...scenarios.of(shop, body.subscription_id), subscribeAgain: send };
  }
  const newCard = {
    number: cards.success,
    card_name: 'Ana',
    exp_month: 1,
    exp_year: 2041,
    cvv: 123,
    currency_iso: 'EUR',
  };

  test('subscribe.expired: with `cancel` it ends with its free time, and the item needs a card from then on', async () => {
    const scenario = await beginTrial('cancel');
    expect(await scenario.hasAccess()).toBe(true);
    expect(await scenario.advanceDays(8)).toMatchObject({ status: 'expired' });
    expect(await scenario.hasAccess()).toBe(false);
    expect((await eventsOf(scenarios.app, scenario.id)).slice(-2)).toEqual(['access.revoked', 'subscribe.expired']);
    expect(await scenario.subscribeAgain()).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
  });

  test('subscribe.updated: with `pause` it waits, and a card lets it go on with a period of its own', async () => {
    const scenario = await beginTrial('pause');
    expect(await scenario.advanceDays(8)).toMatchObject({ status: 'paused' });
    expect(await scenario.hasAccess()).toBe(false);
    expect(await scenario.request('resume')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
    await scenario.send('PUT', '/v2/payments/cards/default', newCard);
    await scenario.advanceDays(0.01);
    expect((await scenario.request('resume')).status).toBe(200);
    expect(await scenario.row()).toMatchObject({ status: 'active' });
    expect(await chargesOf(scenarios.app, scenario.id)).toMatchObject([{ amount: 999, status: 'paid' }]);
  });

  test.each(['cancel', 'pause'] as const)(
    'trial.converted: with `%s` a card that comes in time pays',
    async (behaviour) => {
      const scenario = await beginTrial(behaviour);
      await scenario.send('PUT', '/v2/payments/cards/default', newCard);
      expect(await scenario.advanceDays(8)).toMatchObject({ status: 'active' });
      expect(await eventsOf(scenarios.app, scenario.id)).toContain('trial.converted');
    },
  );

  test.each([
    ['GET', 'the unsubscribe_url'],
    ['DELETE', '/subscriptions/{id}'],
  ] as const)(
    'subscribe.cancelled.success: after %s %s a card that comes later is not charged',
    async (method, path) => {
      const scenario = await beginTrial('cancel');
      const { pathname } = new URL((await scenario.row()).unsubscribe_url);
      const asked = method === 'GET' ? pathname : path.replace('{id}', scenario.id);
      expect((await scenario.send(method, asked)).status).toBe(200);
      await until(async () => (await scenario.row()).canceled_at > 0);
      expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['subscription_canceled']);
      await scenario.send('PUT', '/v2/payments/cards/default', newCard);
      expect(await scenario.advanceDays(8)).toMatchObject({ status: 'canceled' });
      expect(await chargesOf(scenarios.app, scenario.id)).toEqual([]);
      expect(await eventsOf(scenarios.app, scenario.id)).toContain('subscribe.cancelled.success');
    },
  );

  test.each(['cancel', 'pause'] as const)(
    'trial_needs_card: with `%s` its owner is told in time',
    async (behaviour) => {
      const scenario = await beginTrial(behaviour);
      await scenario.advanceDays(5);
      expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['trial_needs_card']);
    },
  );

  test('subscribe.expired: canceled in the trial it is canceled, not expired', async () => {
    const scenario = await beginTrial('cancel');
    await scenario.cancel({ at: 'now' });
    expect(await scenario.row()).toMatchObject({ status: 'canceled' });
  });
});
