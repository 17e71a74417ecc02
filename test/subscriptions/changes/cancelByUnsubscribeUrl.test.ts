import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

test('200: the url of the record turns renewal off, and may be opened twice', async () => {
  const life = await lives.begin();
  const { unsubscribe_url: url } = await life.row();
  const path = new URL(url).pathname;
  expect(path).toBe(`/subscriptions/cancel/${life.id}`);
  const { status, body } = await life.send('GET', path);
  expect([status, body]).toMatchObject([
    200,
    { code: 200, subscription: life.id, operation: 'unsubscribe', description: 'Monthly pass', status: 'pending' },
  ]);
  expect(await life.row()).toMatchObject({ action_type: 'canceled', next_rebill_date: 0 });
  expect((await life.send('GET', path)).status).toBe(200);
});

test('404 subscription_not_found: another consumer’s', async () => {
  const [life, other] = [await lives.begin(), await lives.begin()];
  expect(await life.send('GET', `/subscriptions/cancel/${other.id}`)).toMatchObject({
    status: 404,
    body: { error: 'subscription_not_found' },
  });
});

test('409 subscription_state: one that has ended', async () => {
  const life = await lives.begin();
  await life.send('DELETE', `/subscriptions/${life.id}`, { at: 'now' });
  expect(await life.send('GET', `/subscriptions/cancel/${life.id}`)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
});
