import { cards, createItem, createFee, subscribe, reaches } from '../support/factories';
import { chargesOf, eventsOf, mailsTo } from '../support/ledger';
import { giveTrial, startLives, type Lives } from '../support/lives';

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
