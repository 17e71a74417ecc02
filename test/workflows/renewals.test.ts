import { call } from '../support/client';
import { cards } from '../support/factories';
import { chargesOf, eventsOf, mailsTo, takenFor } from '../support/ledger';
import { startLives, type Lives } from '../support/lives';
import { until } from '../support/until';

/** Periods follow each other on the merchant's own time. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test('subscribe.renewed: a year ahead is twelve charges, each on its own day', async () => {
  const life = await lives.begin();
  const { current_period_end: firstEnd } = await life.row();
  const row = await life.pass(364);
  const charges = await chargesOf(lives.app, life.id);
  expect(charges.map(({ cycle }) => cycle)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  expect(Math.floor((charges[1]?.created.getTime() ?? 0) / 1000)).toBe(firstEnd);
  const days = charges.map(({ settled }) => settled?.toISOString() ?? '');
  expect(days).toEqual([...new Set(days)].sort());
  expect(await takenFor(lives.app, life.id)).toHaveLength(12);
  expect(row).toMatchObject({ status: 'active', action_type: 'recurrent' });
  const renewed = (await eventsOf(lives.app, life.id)).filter((type) => type === 'subscribe.renewed');
  expect(renewed).toHaveLength(11);
  expect(await mailsTo(lives.app, life.shop.consumer.id)).toEqual(charges.map(() => 'receipt'));
  const access = await life.send('GET', `/items/${life.shop.item.id}/access`);
  expect(access).toMatchObject({ status: 200, body: { expires_at: row.current_period_end + 3600 } });
});

test('subscribe.renewed: its event tells the merchant’s time', async () => {
  const life = await lives.begin();
  const { current_period_end: firstEnd } = await life.row();
  await life.pass(40);
  type History = { collection: { type: string; timestamp: number; resource: Record<string, unknown> }[] };
  const { body } = await call<History>(lives.app, 'GET', '/notifications/history', undefined, life.shop.consumer);
  const renewed = body.collection.find(({ type }) => type === 'subscribe.renewed');
  expect(renewed).toMatchObject({
    timestamp: firstEnd,
    resource: { timestamp: firstEnd, amount: '9.99', status: 'renewed' },
  });
});

test('subscribe.renewed: an hour is a period too, and a lost answer charges once', async () => {
  const life = await lives.begin(cards.timeoutAfterCharging, { fee: { quantity: 8, period: 'hour' } });
  await life.pass(1);
  expect(await chargesOf(lives.app, life.id)).toHaveLength(4);
  expect(await takenFor(lives.app, life.id)).toHaveLength(4);
});

test('subscribe.renewed: a paid period that is shorter than the days of grace opens no more than itself', async () => {
  const life = await lives.begin(cards.success, { fee: { quantity: 1, period: 'hour' } });
  const row = await life.pass(1.5 / 24);
  const text = `SELECT floor(extract(epoch FROM expires_at))::int AS ends FROM accesses WHERE source = 'subscription' AND account_id = $1`;
  const ends = async () => (await lives.app.pool.query<{ ends: number }>(text, [life.shop.consumer.id])).rows[0]?.ends;
  await until(async () => (await ends()) === row.current_period_end + 3600);
});

test('subscribe.renewed: the record says when it changed by the merchant’s clock', async () => {
  const life = await lives.begin();
  const { created_at: created, updated_at: updated } = await life.pass(31);
  expect(updated - created).toBeGreaterThan(27 * 86_400);
});
