import { check, takeAway } from '../support/access';
import { cards, subscribe } from '../support/factories';
import { chargesOf, eventsOf, mailsTo } from '../support/ledger';
import { changeCardOutcome, startLives, type Lived, type Lives } from '../support/lives';
import { until } from '../support/until';

/** How a subscription is told not to go on, and how it ends. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const signal = (life: Lived, name: string, ...input: object[]) =>
  lives.temporal.client.workflow.getHandle(`subscription-${life.id}`).signal(name, ...input);

const reaches = (life: Lived, status: string) =>
  until(async () => {
    const row = await life.row();
    return row.status === status && row;
  });

const result = (life: Lived) =>
  lives.temporal.client.workflow.getHandle(`subscription-${life.id}`).result() as Promise<unknown>;

const reasons = async (life: Lived) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence`;
  return (await lives.app.pool.query<{ reason: string }>(text, [life.id])).rows.map(({ reason }) => reason);
};

describe('canceled at the period’s end', () => {
  test('subscribe.cancelled.success: the paid time runs out, then it has ended', async () => {
    const life = await lives.begin();
    const { body } = await life.send('DELETE', `/subscriptions/${life.id}`, { reason: 'too dear' });
    expect(body).toMatchObject({ subscription: life.id, operation: 'unsubscribe', status: 'pending' });
    expect(await life.row()).toMatchObject({ status: 'active', action_type: 'canceled', cancel_at_period_end: true });
    expect(await life.hasAccess()).toBe(true);
    expect(await life.pass(32)).toMatchObject({ status: 'canceled', action_type: 'ended' });
    expect(await life.hasAccess()).toBe(false);
    expect(await result(life)).toEqual({ state: 'canceled' });
    expect(await eventsOf(lives.app, life.id)).toEqual([
      'access.granted',
      'subscribe.success',
      'subscribe.cancelled.success',
      'access.revoked',
      'subscribe.expired',
    ]);
    const mails = ['receipt', 'subscription_canceled', 'subscription_ended'];
    expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(mails);
    expect(await chargesOf(lives.app, life.id)).toHaveLength(1);
  });

  test('subscribe.updated: taken back in time, it is renewed', async () => {
    const life = await lives.begin();
    await life.send('DELETE', `/subscriptions/${life.id}`);
    expect((await life.ask('resume')).status).toBe(200);
    expect(await life.row()).toMatchObject({ action_type: 'recurrent', cancel_at_period_end: false, canceled_at: 0 });
    expect(await life.pass(32)).toMatchObject({ status: 'active' });
    expect(await chargesOf(lives.app, life.id)).toHaveLength(2);
  });
});

test('subscribe.cancelled.success: canceled now, access ends now', async () => {
  const life = await lives.begin();
  await life.send('DELETE', `/subscriptions/${life.id}`, { at: 'now' });
  expect(await life.row()).toMatchObject({ status: 'canceled' });
  expect(await life.hasAccess()).toBe(false);
  expect((await life.ask('resume')).body).toMatchObject({ code: 409, error: 'subscription_state' });
});

describe('the money goes back', () => {
  test('access.revoked: at once, and nothing is charged after it', async () => {
    const life = await lives.begin();
    await signal(life, 'revoked', {});
    expect(await reaches(life, 'revoked')).toMatchObject({ action_type: 'ended' });
    expect(await life.hasAccess()).toBe(false);
    await life.pass(40);
    expect(await result(life)).toEqual({ state: 'revoked' });
    expect(await chargesOf(lives.app, life.id)).toHaveLength(1);
  });

  test('access.granted: and comes again after all, for what is left of the period', async () => {
    const life = await lives.begin();
    await signal(life, 'revoked', {});
    await reaches(life, 'revoked');
    await signal(life, 'restored', {});
    await reaches(life, 'active');
    expect(await life.hasAccess()).toBe(true);
    expect(await life.pass(32)).toMatchObject({ status: 'active' });
  });

  test('access.granted: not beside another subscription of the item: it stays revoked, and ends with its period', async () => {
    const life = await lives.begin();
    await signal(life, 'revoked', {});
    await reaches(life, 'revoked');
    const { body } = await subscribe(lives.app, life.shop);
    await reaches(lives.of(life.shop, body.subscription_id), 'active');
    await signal(life, 'restored', {});
    await until(async () => (await reasons(life)).at(-1) === 'not restored: another subscription of the item is live');
    await life.pass(32);
    expect(await result(life)).toEqual({ state: 'revoked' });
  });
});

describe('the account is erased', () => {
  test.each([
    ['active', cards.success, 0],
    ['past_due', cards.declinedAtRenewal, 32],
    ['on_hold', cards.declinedAtRenewal, 40],
  ])('subscribe.expired: %s, then canceled now, and no mail', async (state, card, days) => {
    const life = await lives.begin(card);
    expect((await life.pass(days || 0.01)).status).toBe(state);
    const before = await mailsTo(lives.app, life.shop.consumer.id);
    await signal(life, 'accountErased');
    await reaches(life, 'canceled');
    expect(await result(life)).toEqual({ state: 'canceled' });
    expect(await life.hasAccess()).toBe(false);
    expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(before);
  });

  test('subscribe.past_due: a renewal that comes before the word of it is not charged, and nobody is mailed', async () => {
    const life = await lives.begin();
    const before = await mailsTo(lives.app, life.shop.consumer.id);
    await lives.app.pool.query('UPDATE accounts SET erasing_at = now() WHERE id = $1', [life.shop.consumer.id]);
    await life.pass(31.5);
    expect((await chargesOf(lives.app, life.id)).map(({ status }) => status)).toEqual(['paid', 'declined']);
    expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(before);
  });
});

describe('revoked while a payment is open, and given back', () => {
  test('subscribe.updated: it is past due as before, and the next try brings the period', async () => {
    const life = await lives.begin(cards.declinedAtRenewal);
    const failed = await life.pass(31.5);
    expect(failed).toMatchObject({ status: 'past_due' });
    await signal(life, 'revoked');
    expect(await reaches(life, 'revoked')).toMatchObject({ grace_ends_at: 0, next_retry_at: 0 });
    expect(await life.hasAccess()).toBe(false);
    await signal(life, 'restored');
    const { grace_ends_at, next_retry_at } = failed;
    expect(await reaches(life, 'past_due')).toMatchObject({ grace_ends_at, next_retry_at, ended_at: 0 });
    expect(await life.hasAccess()).toBe(true);
    await changeCardOutcome(lives.app, life, 'success');
    expect(await life.pass(3)).toMatchObject({ status: 'active' });
    expect((await chargesOf(lives.app, life.id)).at(-1)).toMatchObject({ amount: 999, status: 'paid' });
  });

  test('subscribe.updated: on hold it opens nothing', async () => {
    const life = await lives.begin(cards.declinedAtRenewal);
    expect(await life.pass(40)).toMatchObject({ status: 'on_hold' });
    await signal(life, 'revoked');
    await reaches(life, 'revoked');
    await signal(life, 'restored');
    await reaches(life, 'on_hold');
    expect(await life.hasAccess()).toBe(false);
    expect((await eventsOf(lives.app, life.id)).at(-1)).toBe('subscribe.updated');
  });
});

describe('its access taken away by the merchant', () => {
  const takeAll = async (life: Lived) => {
    const { rows } = await lives.app.pool.query<{ id: number }>('SELECT id FROM accesses WHERE account_id = $1', [
      life.shop.consumer.id,
    ]);
    for (const { id } of [...rows, ...rows]) expect((await takeAway(lives.app, life.shop, id)).status).toBe(200);
  };

  test('subscribe.expired: it ends at once, and nothing is charged again', async () => {
    const life = await lives.begin();
    await takeAll(life);
    expect(await reaches(life, 'canceled')).toMatchObject({ action_type: 'ended' });
    expect(await result(life)).toEqual({ state: 'canceled' });
    expect((await reasons(life)).at(-1)).toBe('access_revoked');
    await life.pass(400);
    expect(await chargesOf(lives.app, life.id)).toHaveLength(1);
    const events = await eventsOf(lives.app, life.id);
    expect(events.filter((type) => type === 'access.revoked' || type === 'subscribe.expired')).toEqual([
      'access.revoked',
      'subscribe.expired',
    ]);
  });

  test('subscribe.success: the customer may buy it anew', async () => {
    const life = await lives.begin();
    await takeAll(life);
    await reaches(life, 'canceled');
    const again = await subscribe(lives.app, life.shop, cards.success);
    expect(again.status).toBe(202);
    await reaches(lives.of(life.shop, again.body.subscription_id), 'active');
    expect((await check(lives.app, life.shop.item.id, life.shop.consumer)).status).toBe(200);
  });

  test('subscribe.expired: one that could not be paid ends too', async () => {
    const life = await lives.begin(cards.declinedAtRenewal);
    expect((await life.pass(32)).status).toBe('past_due');
    await takeAll(life);
    await reaches(life, 'canceled');
    const before = await chargesOf(lives.app, life.id);
    await life.pass(30);
    expect(await chargesOf(lives.app, life.id)).toEqual(before);
  });
});
