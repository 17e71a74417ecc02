import { cards } from '../../support/factories';
import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

test('503 service_unavailable: nobody is at work; the caller may ask again', async () => {
  const life = await lives.begin();
  const { status, body, headers } = await life.ask('resume');
  expect([status, body]).toMatchObject([503, { error: 'service_unavailable' }]);
  expect(headers.get('retry-after')).toBe('2');
});

describe('with a worker', () => {
  let working: Lives;

  beforeAll(async () => (working = await lives.work()));

  test('200: a cancellation is taken back', async () => {
    const life = await working.begin();
    await life.send('DELETE', `/subscriptions/${life.id}`);
    expect(await life.ask('resume')).toMatchObject({ status: 200, body: { message: 'The subscription goes on' } });
    expect(await life.row()).toMatchObject({ cancel_at_period_end: false });
  });

  test('402 payment_failed: a pause that nobody pays to end', async () => {
    const life = await working.begin(cards.declinedAtRenewal);
    await life.ask('pause');
    await life.pass(33);
    const { status, body } = await life.ask('resume');
    expect([status, body]).toMatchObject([402, { error: 'payment_failed', explain: 'Your card was declined.' }]);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [life, other] = [await working.begin(), await working.begin()];
    expect((await life.send('POST', `/subscriptions/${other.id}/resume`)).status).toBe(404);
  });

  test('409 subscription_state: one that would be charged and has no card', async () => {
    const life = await working.begin();
    await life.send('DELETE', `/subscriptions/${life.id}`);
    await lives.app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [life.id]);
    const body = { error: 'subscription_state', explain: 'A card is needed: set a default card first.' };
    expect(await life.ask('resume')).toMatchObject({ status: 409, body });
  });

  test('409 subscription_state: one that simply runs', async () => {
    const life = await working.begin();
    expect(await life.ask('resume')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  });
});
