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
import { giveTrial, startLives, type Lives } from '../support/lives';
import { receives } from '../support/mailbox';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** Free time before the first charge, once for everybody. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test('trial.converted: access at once, a reminder, and the first charge with the setup fee at its end', async () => {
  const life = await lives.begin(cards.success, { fee: { setup_fee_amount: '5.00' }, trial: [7, 'day'] });
  const trial = await life.row();
  expect(trial).toMatchObject({ status: 'trialing', action_type: 'free-trial' });
  expect(trial.trial_end).toBe(trial.current_period_end);
  expect(await life.hasAccess()).toBe(true);
  expect(await chargesOf(lives.app, life.id)).toEqual([]);
  expect((await life.pass(5)).status).toBe('trialing');
  expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(['trial_ends']);
  const row = await life.pass(3);
  expect(row).toMatchObject({ status: 'active', current_period_start: trial.trial_end });
  expect(await chargesOf(lives.app, life.id)).toMatchObject([{ cycle: 1, attempt: 1, amount: 1499, status: 'paid' }]);
  expect(await eventsOf(lives.app, life.id)).toEqual([
    'access.granted',
    'subscribe.success',
    'trial.converted',
    'subscribe.renewed',
  ]);
});

test('trial_ends: the mail names the first charge, less its voucher and with the setup fee', async () => {
  const shop = await createShop(lives.app, { amount: '8.00', setup_fee_amount: '5.00' });
  await giveTrial(lives.app, shop.fee.id, [7, 'day']);
  const { code } = await createVoucher(lives.app, shop.merchant, { discount: 50 });
  const fields = { ...purchase(shop), voucher_code: code };
  const { body } = await call<Submitted>(lives.app, 'POST', '/subscriptions', fields, shop.consumer);
  await reaches(lives.app, shop.consumer, body.subscription_id, 'trialing');
  await lives.of(shop, body.subscription_id).pass(5);
  const { text } = await receives(lives.app, shop.merchant, shop.consumer.email, 'trial_ends');
  expect(text).toContain('for €9.00');
});

test('subscribe.expired: canceled in the trial, it runs to the trial’s end and charges nothing', async () => {
  const life = await lives.begin(cards.success, { trial: [2, 'week'] });
  await life.send('DELETE', `/subscriptions/${life.id}`);
  expect(await life.row()).toMatchObject({ status: 'trialing', action_type: 'canceled' });
  expect(await life.hasAccess()).toBe(true);
  expect(await life.pass(15)).toMatchObject({ status: 'canceled' });
  expect(await chargesOf(lives.app, life.id)).toEqual([]);
  expect(await life.hasAccess()).toBe(false);
});

test('subscribe.past_due: a trial whose first charge is declined', async () => {
  const life = await lives.begin(cards.declined, { trial: [1, 'day'] });
  expect(await life.pass(1.5)).toMatchObject({ status: 'past_due' });
});

test('subscribe.success: the second time the item costs its price at once', async () => {
  const life = await lives.begin(cards.success, { trial: [1, 'day'] });
  await life.send('DELETE', `/subscriptions/${life.id}`, { at: 'now' });
  const { body } = await subscribe(lives.app, life.shop);
  await reaches(lives.app, life.shop.consumer, body.subscription_id, 'active');
  expect(await chargesOf(lives.app, body.subscription_id)).toMatchObject([{ amount: 999, status: 'paid' }]);
});

test('subscribe.success: another item has a trial of its own', async () => {
  const life = await lives.begin(cards.success, { trial: [1, 'day'] });
  const { app } = lives;
  const item = await createItem(app, life.shop.merchant);
  const fee = await createFee(app, life.shop.merchant, item.id);
  await giveTrial(app, fee.id, [1, 'day']);
  const { body } = await subscribe(app, { ...life.shop, item, fee });
  await reaches(app, life.shop.consumer, body.subscription_id, 'trialing');
});

test('subscribe.renewed: what costs nothing needs no card, and asks no provider', async () => {
  const life = await lives.begin(cards.success, { fee: { amount: '0' } });
  expect((await life.pass(32)).status).toBe('active');
  expect(await chargesOf(lives.app, life.id)).toMatchObject([{ amount: 0 }, { amount: 0, status: 'paid' }]);
  expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual([]);
});

describe('without a card, where the fee allows it', () => {
  async function beginTrial(behaviour: 'cancel' | 'pause') {
    const shop = await createShop(lives.app);
    await giveTrial(lives.app, shop.fee.id, [7, 'day']);
    await lives.app.pool.query('UPDATE access_fees SET trial_end_behaviour = $2 WHERE id = $1', [
      shop.fee.id,
      behaviour,
    ]);
    const send = () => call<Submitted>(lives.app, 'POST', '/subscriptions', { access_fee: shop.fee.id }, shop.consumer);
    const { body } = await send();
    await reaches(lives.app, shop.consumer, body.subscription_id, 'trialing');
    return { ...lives.of(shop, body.subscription_id), subscribeAgain: send };
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
    const life = await beginTrial('cancel');
    expect(await life.hasAccess()).toBe(true);
    expect(await life.pass(8)).toMatchObject({ status: 'expired' });
    expect(await life.hasAccess()).toBe(false);
    expect((await eventsOf(lives.app, life.id)).slice(-2)).toEqual(['access.revoked', 'subscribe.expired']);
    expect(await life.subscribeAgain()).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
  });

  test('subscribe.updated: with `pause` it waits, and a card lets it go on with a period of its own', async () => {
    const life = await beginTrial('pause');
    expect(await life.pass(8)).toMatchObject({ status: 'paused' });
    expect(await life.hasAccess()).toBe(false);
    expect(await life.ask('resume')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
    await life.send('PUT', '/v2/payments/cards/default', newCard);
    await life.pass(0.01);
    expect((await life.ask('resume')).status).toBe(200);
    expect(await life.row()).toMatchObject({ status: 'active' });
    expect(await chargesOf(lives.app, life.id)).toMatchObject([{ amount: 999, status: 'paid' }]);
  });

  test.each(['cancel', 'pause'] as const)(
    'trial.converted: with `%s` a card that comes in time pays',
    async (behaviour) => {
      const life = await beginTrial(behaviour);
      await life.send('PUT', '/v2/payments/cards/default', newCard);
      expect(await life.pass(8)).toMatchObject({ status: 'active' });
      expect(await eventsOf(lives.app, life.id)).toContain('trial.converted');
    },
  );

  test.each([
    ['GET', '/subscriptions/cancel/{id}'],
    ['DELETE', '/subscriptions/{id}'],
  ] as const)(
    'subscribe.cancelled.success: after %s %s a card that comes later is not charged',
    async (method, path) => {
      const life = await beginTrial('cancel');
      expect((await life.send(method, path.replace('{id}', life.id))).status).toBe(200);
      await until(async () => (await life.row()).canceled_at > 0);
      expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(['subscription_canceled']);
      await life.send('PUT', '/v2/payments/cards/default', newCard);
      expect(await life.pass(8)).toMatchObject({ status: 'canceled' });
      expect(await chargesOf(lives.app, life.id)).toEqual([]);
      expect(await eventsOf(lives.app, life.id)).toContain('subscribe.cancelled.success');
    },
  );

  test.each(['cancel', 'pause'] as const)(
    'trial_needs_card: with `%s` its owner is told in time',
    async (behaviour) => {
      const life = await beginTrial(behaviour);
      await life.pass(5);
      expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(['trial_needs_card']);
    },
  );

  test('subscribe.expired: canceled in the trial it is canceled, not expired', async () => {
    const life = await beginTrial('cancel');
    await life.send('DELETE', `/subscriptions/${life.id}`, { at: 'now' });
    expect(await life.row()).toMatchObject({ status: 'canceled' });
  });
});
