import { call } from '../../support/client';
import { startLives, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const path = (id: string) => `/subscriptions/${id}`;

test('200: at the period’s end, by the merchant too', async () => {
  const life = await lives.begin();
  const { status } = await call(lives.app, 'DELETE', path(life.id), {}, life.shop.merchant);
  expect(status).toBe(200);
  expect(await life.row()).toMatchObject({ status: 'active', cancel_at_period_end: true });
});

test('200: now, also after it was canceled at the period’s end', async () => {
  const life = await lives.begin();
  await life.send('DELETE', path(life.id));
  expect((await life.send('DELETE', path(life.id), { at: 'now' })).status).toBe(200);
  expect(await life.row()).toMatchObject({ status: 'canceled' });
});

test('200: one Idempotency-Key is one cancellation', async () => {
  const life = await lives.begin();
  const headers = { 'Idempotency-Key': 'k'.repeat(40) };
  const send = () => call(lives.app, 'DELETE', path(life.id), {}, { token: life.shop.consumer.token, headers });
  expect((await send()).status).toBe(200);
  await life.ask('resume');
  expect((await send()).status).toBe(200);
  expect(await life.row()).toMatchObject({ cancel_at_period_end: false });
});

test('404 subscription_not_found: another consumer’s, and another merchant’s', async () => {
  const [life, other] = [await lives.begin(), await lives.begin()];
  for (const caller of [life.shop.consumer, life.shop.merchant])
    expect(await call(lives.app, 'DELETE', path(other.id), {}, caller)).toMatchObject({
      status: 404,
      body: { error: 'subscription_not_found' },
    });
});

test('409 subscription_state: canceled already', async () => {
  const life = await lives.begin();
  await life.send('DELETE', path(life.id));
  const { status, body } = await life.send('DELETE', path(life.id));
  expect([status, body]).toMatchObject([409, { error: 'subscription_state' }]);
});

test('422 invalid_input: some other time', async () => {
  const life = await lives.begin();
  const { body } = await life.send('DELETE', path(life.id), { at: 'tomorrow' });
  expect(body).toMatchObject({ code: 422, errors: { at: 'The at must be one of period_end, now.' } });
});
