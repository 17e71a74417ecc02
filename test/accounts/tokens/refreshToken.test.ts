import { type z } from 'zod';
import { type AuthenticationResponse } from '../../../src/accounts/accounts.schemas';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { tablesHolding } from '../../support/stored';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

function renew(consumer: Person, refresh_token: string, client_id = consumer.merchantUuid) {
  const fields = { grant_type: 'refresh_token', client_id, refresh_token };
  return call<Authentication>(app, 'POST', '/accounts/authenticate', fields);
}

async function isSignedIn(token: string): Promise<boolean> {
  return (await call(app, 'GET', '/accounts', undefined, { token })).status === 200;
}

/** Sets the age of every spent token, however long the requests of the test took. */
function letPass(interval: string) {
  return app.pool.query('UPDATE refresh_tokens SET used_at = now() - $1::interval WHERE used_at IS NOT NULL', [
    interval,
  ]);
}

test('200: a refresh token gives a new one, and both access tokens go on', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await renew(consumer, consumer.refreshToken);
  expect(status).toBe(200);
  expect(body.refresh_token).not.toBe(consumer.refreshToken);
  expect(body.account.id).toBe(consumer.id);
  expect([await isSignedIn(consumer.token), await isSignedIn(body.access_token)]).toEqual([true, true]);
});

test('200: whoever lost the answer asks again within ten seconds, and gets the same successor', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const answers = await Promise.all([1, 2, 3].map(() => renew(consumer, consumer.refreshToken)));
  await letPass('7 seconds');
  answers.push(await renew(consumer, consumer.refreshToken));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  expect((await renew(consumer, answers[0]?.body.refresh_token ?? '')).status).toBe(200);
});

test('401 invalid_refresh_token: a spent one that comes back after ten seconds ends the whole family', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { body } = await renew(consumer, consumer.refreshToken);
  await letPass('11 seconds');
  expect(await renew(consumer, consumer.refreshToken)).toMatchObject({
    status: 401,
    body: { message: 'Invalid credentials', error: 'invalid_refresh_token' },
  });
  expect((await renew(consumer, body.refresh_token)).status).toBe(401);
  expect([await isSignedIn(consumer.token), await isSignedIn(body.access_token)]).toEqual([false, false]);
  const log = await app.pool.query(
    `SELECT action, object_type, address FROM audit_log WHERE actor_account_id = $1 AND action = 'refresh_token.reuse'`,
    [consumer.id],
  );
  expect(log.rows).toEqual([{ action: 'refresh_token.reuse', object_type: 'session', address: '127.0.0.0/24' }]);
});

test('401 invalid_refresh_token: a predecessor whose successor was used has no grace', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const second = (await renew(consumer, consumer.refreshToken)).body.refresh_token;
  const third = (await renew(consumer, second)).body;
  expect((await renew(consumer, consumer.refreshToken)).status).toBe(401);
  expect((await renew(consumer, third.refresh_token)).status).toBe(401);
  expect(await isSignedIn(third.access_token)).toBe(false);
});

test('401 invalid_refresh_token: with another client, after logout, of an inactive account, or invented', async () => {
  const merchant = await createMerchant(app);
  const [consumer, gone, inactive] = [
    await createConsumer(app, merchant),
    await createConsumer(app, merchant),
    await createConsumer(app, merchant),
  ];
  await call(app, 'GET', '/accounts/logout', undefined, gone);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [inactive.id]);
  const other = await createMerchant(app);
  expect((await renew(consumer, consumer.refreshToken, other.uuid)).status).toBe(401);
  expect((await renew(gone, gone.refreshToken)).status).toBe(401);
  expect((await renew(inactive, inactive.refreshToken)).status).toBe(401);
  expect((await renew(consumer, 'invented')).status).toBe(401);
  // None of these requests used a spent token.
  expect((await renew(consumer, consumer.refreshToken)).status).toBe(200);
});

test('200: however often it is renewed, a session ends 90 days after its sign-in', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await app.pool.query(`UPDATE sessions SET created_at = now() - interval '80 days' WHERE account_id = $1`, [
    consumer.id,
  ]);
  const { body } = await renew(consumer, consumer.refreshToken);
  expect(Math.abs(body.expires - Date.now() / 1000 - 10 * 86_400)).toBeLessThan(60);
});

test('200: no table holds a refresh token, before or after it was spent', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { body } = await renew(consumer, consumer.refreshToken);
  for (const token of [consumer.refreshToken, body.refresh_token]) {
    expect(await tablesHolding(app.pool, token)).toEqual([]);
    expect(await tablesHolding(app.pool, Buffer.from(token).toString('hex'))).toEqual([]);
  }
});
