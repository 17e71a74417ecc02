import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

test('503 service_unavailable: nobody is at work; the caller may ask again', async () => {
  const life = await lives.begin();
  const { status, body, headers } = await life.ask('pause');
  expect([status, body]).toMatchObject([503, { error: 'service_unavailable' }]);
  expect(headers.get('retry-after')).toBe('2');
});

describe('with a worker', () => {
  let working: Lives;

  beforeAll(async () => (working = await lives.work()));

  test('200: from the end of the paid period on', async () => {
    const life = await working.begin();
    expect((await life.ask('pause')).status).toBe(200);
    expect(await life.row()).toMatchObject({ status: 'active', pauses_at_period_end: true, resumes_at: 0 });
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [life, other] = [await working.begin(), await working.begin()];
    expect((await life.send('POST', `/subscriptions/${other.id}/pause`)).status).toBe(404);
  });

  test('409 subscription_state: not while it is canceled, and not twice', async () => {
    const life = await working.begin();
    await life.ask('pause');
    expect(await life.ask('pause')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
    await life.ask('resume');
    await life.send('DELETE', `/subscriptions/${life.id}`);
    expect((await life.ask('pause')).status).toBe(409);
  });

  test('422 invalid_input: a pause that ends before it begins', async () => {
    const life = await working.begin();
    const { status, body } = await life.ask('pause', { resumes_at: Math.floor(Date.now() / 1000) + 60 });
    expect([status, body]).toMatchObject([422, { errors: { resumes_at: expect.any(String) as unknown } }]);
  });
});
