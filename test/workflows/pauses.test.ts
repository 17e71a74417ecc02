import { cards } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { startLives, type Lives } from '../support/lives';

/** A pause from the end of the paid period on. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test('subscribe.updated: paused at the period’s end, and resumed with a period of its own', async () => {
  const life = await lives.begin();
  expect((await life.ask('pause')).status).toBe(200);
  expect(await life.row()).toMatchObject({ status: 'active', pauses_at_period_end: true });
  expect(await life.hasAccess()).toBe(true);
  const paused = await life.pass(40);
  expect(paused).toMatchObject({ status: 'paused', action_type: 'paused' });
  expect(await life.hasAccess()).toBe(false);
  expect(await chargesOf(lives.app, life.id)).toHaveLength(1);
  expect((await life.ask('resume')).status).toBe(200);
  const row = await life.row();
  expect(row).toMatchObject({ status: 'active' });
  expect(row.current_period_start).toBeGreaterThan(paused.current_period_end + 8 * 86_400);
  expect(await life.hasAccess()).toBe(true);
  expect((await eventsOf(lives.app, life.id)).slice(-4)).toEqual([
    'access.revoked',
    'subscribe.updated',
    'access.granted',
    'subscribe.renewed',
  ]);
});

test('subscribe.renewed: it goes on by itself on the day that was set', async () => {
  const life = await lives.begin();
  const { current_period_end: endsAt } = await life.row();
  const resumesAt = endsAt + 10 * 86_400;
  await life.ask('pause', { resumes_at: resumesAt });
  expect((await life.pass(35)).status).toBe('paused');
  expect(await life.pass(10)).toMatchObject({ status: 'active', current_period_start: resumesAt });
});

test('402 payment_failed: without the money the pause goes on', async () => {
  const life = await lives.begin(cards.declinedAtRenewal);
  await life.ask('pause');
  await life.pass(35);
  expect(await life.ask('resume')).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
  expect(await life.row()).toMatchObject({ status: 'paused' });
  expect(await life.ask('resume')).toMatchObject({ status: 402 });
  expect((await chargesOf(lives.app, life.id)).map(({ cycle, status }) => [cycle, status])).toEqual([
    [1, 'paid'],
    [2, 'declined'],
    [3, 'declined'],
  ]);
});

test('200: a planned pause is taken back', async () => {
  const life = await lives.begin();
  await life.ask('pause');
  expect((await life.ask('resume')).status).toBe(200);
  expect(await life.row()).toMatchObject({ pauses_at_period_end: false });
  expect(await life.pass(32)).toMatchObject({ status: 'active' });
});

test('subscribe.renewed: what the merchant has taken away is not told as given, though it is paid on', async () => {
  const life = await lives.begin();
  const text = 'UPDATE accesses SET revoked_at = now() WHERE account_id = $1';
  await lives.app.pool.query(text, [life.shop.consumer.id]);
  await life.ask('pause');
  await life.pass(32);
  await life.ask('resume');
  const events = await eventsOf(lives.app, life.id);
  expect(events.filter((type) => type === 'access.granted' || type === 'subscribe.renewed')).toEqual([
    'access.granted',
    'subscribe.renewed',
  ]);
  expect(await life.hasAccess()).toBe(false);
});
