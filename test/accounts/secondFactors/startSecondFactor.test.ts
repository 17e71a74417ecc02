import { createConsumer, createMerchant } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { confirmFactor, codeOf, signInWith, startFactor, switchFactorOn } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('201: a secret for ten minutes, which changes no sign-in yet', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await startFactor(app, consumer);
  expect(status).toBe(201);
  expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
  const uri = new URL(body.uri);
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain(consumer.email);
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: body.secret, digits: '6', period: '30' });
  expect(Math.abs(body.expires_at - Date.now() / 1000 - 600)).toBeLessThan(60);
  expect((await signInWith(app, consumer)).status).toBe(200);
});

test('201: the secret is sealed in the database, and a second start replaces the first', async () => {
  const merchant = await createMerchant(app);
  const [first, second] = [(await startFactor(app, merchant)).body, (await startFactor(app, merchant)).body];
  const { rows } = await app.pool.query<{ id: string; sealed_secret: Buffer }>(
    'SELECT id, sealed_secret FROM second_factors WHERE account_id = $1',
    [merchant.id],
  );
  expect(rows.map(({ id }) => id)).toEqual([second.id]);
  expect(rows[0]?.sealed_secret.includes(second.secret)).toBe(false);
  expect((await confirmFactor(app, merchant, first.id, codeOf(first.secret))).status).toBe(404);
  expect((await confirmFactor(app, merchant, second.id, codeOf(second.secret))).status).toBe(200);
});

test('422 wrong_password: a stolen session does not get a secret', async () => {
  const merchant = await createMerchant(app);
  expect(await startFactor(app, merchant, 'another-horse')).toMatchObject({
    status: 422,
    body: { error: 'wrong_password' },
  });
});

test('409 second_factor_exists: the account has one', async () => {
  const merchant = await createMerchant(app);
  await switchFactorOn(app, merchant);
  expect(await startFactor(app, merchant)).toMatchObject({ status: 409, body: { error: 'second_factor_exists' } });
});

test('429 too_many_requests: after five wrong passwords', async () => {
  const merchant = await createMerchant(app);
  const statuses = await guessSevenTimes(app, (count) => startFactor(app, merchant, `wrong-${count}-horse`));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});
