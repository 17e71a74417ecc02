import { cards } from '../../support/factories';
import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

test('503 service_unavailable: nobody is at work; the caller may ask again', async () => {
  const life = await lives.begin();
  const { status, body, headers } = await life.ask('retry');
  expect([status, body]).toMatchObject([503, { error: 'service_unavailable' }]);
  expect(headers.get('retry-after')).toBe('2');
});

describe('with a worker', () => {
  let working: Lives;

  beforeAll(async () => (working = await lives.work()));

  test('200: what is overdue is paid now', async () => {
    const life = await working.begin(cards.declinedOnceAtRenewal);
    const { current_period_end: endsAt } = await life.row();
    const { status } = await life.pass((endsAt - Date.now() / 1000) / 86_400 + 0.1);
    expect(status).toBe('past_due');
    expect((await life.ask('retry')).status).toBe(200);
    expect(await life.row()).toMatchObject({ status: 'active', current_period_start: endsAt });
  });

  test('402 payment_failed: declined once more', async () => {
    const life = await working.begin(cards.declinedAtRenewal);
    await life.pass(33);
    const { status, body } = await life.ask('retry');
    expect([status, body]).toMatchObject([402, { errors: { payment: 'Your card was declined.' } }]);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [life, other] = [await working.begin(), await working.begin()];
    expect((await life.send('POST', `/subscriptions/${other.id}/retry`)).status).toBe(404);
  });

  test('409 subscription_state: nothing is open', async () => {
    const life = await working.begin();
    expect(await life.ask('retry')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  });
});
