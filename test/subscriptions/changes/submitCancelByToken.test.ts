import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const path = (id: string, token = id) => `/subscriptions/${id}/cancel/${token}`;

test('200: renewal is turned off', async () => {
  const life = await lives.begin();
  const { cancel_token: token } = await life.row();
  expect(await life.send('POST', path(life.id, token), {})).toMatchObject({ status: 200, body: { status: 'pending' } });
  expect(await life.row()).toMatchObject({ cancel_at_period_end: true });
});

test('404 subscription_not_found: with another token', async () => {
  const [life, other] = [await lives.begin(), await lives.begin()];
  const { status, body } = await life.send('POST', path(life.id, other.id), {});
  expect([status, body]).toMatchObject([404, { error: 'subscription_not_found' }]);
  expect(await life.row()).toMatchObject({ cancel_at_period_end: false });
});

test('409 subscription_state: one that has ended', async () => {
  const life = await lives.begin();
  await life.send('DELETE', `/subscriptions/${life.id}`, { at: 'now' });
  const { status, body } = await life.send('POST', path(life.id), {});
  expect([status, body]).toMatchObject([409, { error: 'subscription_state' }]);
});
