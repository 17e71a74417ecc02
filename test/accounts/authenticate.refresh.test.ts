import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { tablesHolding } from '../support/stored';
import { until } from '../support/until';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const renew = <Body = Authentication>(refreshToken: string, clientId = merchant.uuid) =>
  call<Body>(app, 'POST', '/accounts/authenticate', {
    client_id: clientId,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  });

async function expectRefused(refreshToken: string, clientId?: string): Promise<void> {
  const { status, body } = await renew<ErrorBody>(refreshToken, clientId);
  expect({ status, body }).toMatchObject({
    status: 401,
    body: { code: 401, message: 'Invalid credentials', error: 'invalid_refresh_token' },
  });
}

const statusOf = async (token: string) => (await call(app, 'GET', '/accounts', undefined, { token })).status;

test('200: a refresh token gives new tokens for the same session', async () => {
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await renew(consumer.refreshToken);
  expect(status).toBe(200);
  expect(body).toMatchObject({ account: { id: consumer.id }, expires: body.expires_at });
  expect(body.refresh_token).not.toBe(consumer.refreshToken);
  expect(await statusOf(body.access_token)).toBe(200);
  expect(await statusOf(consumer.token)).toBe(200);
  expect((await renew(body.refresh_token)).status).toBe(200);
});

test('401 invalid_refresh_token: a spent one ends its whole family, whoever spent it first', async () => {
  const consumer = await createConsumer(app, merchant);
  const { body: second } = await renew(consumer.refreshToken);
  const { body: third } = await renew(second.refresh_token);
  await expectRefused(consumer.refreshToken);
  await expectRefused(third.refresh_token);
  for (const token of [consumer.token, second.access_token, third.access_token])
    await until(async () => (await statusOf(token)) === 401);
});

test('401 invalid_refresh_token: ending a family ends no other session of the account', async () => {
  const consumer = await createConsumer(app, merchant);
  const other = await call<Authentication>(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'password',
    username: consumer.email,
    password: 'correct-horse-battery',
  });
  const { body: second } = await renew(consumer.refreshToken);
  await renew(second.refresh_token);
  await expectRefused(consumer.refreshToken);
  await until(async () => (await statusOf(consumer.token)) === 401);
  expect(await statusOf(other.body.access_token)).toBe(200);
  expect((await renew(other.body.refresh_token)).status).toBe(200);
});

test('200: five at once with one token get one and the same successor', async () => {
  const consumer = await createConsumer(app, merchant);
  const answers = await Promise.all(Array.from({ length: 5 }, () => renew(consumer.refreshToken)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
});

test('401 invalid_refresh_token: unknown, of another client, signed out, or too old', async () => {
  await expectRefused('unknown');
  await expectRefused('A'.repeat(43));
  const other = await createMerchant(app);
  const [stranger, leaver, sleeper] = [
    await createConsumer(app, merchant),
    await createConsumer(app, merchant),
    await createConsumer(app, merchant),
  ];
  await expectRefused(stranger.refreshToken, other.uuid);
  expect((await renew(stranger.refreshToken)).status).toBe(200);
  await call(app, 'GET', '/accounts/logout', undefined, leaver);
  await expectRefused(leaver.refreshToken);
  await app.pool.query(
    `UPDATE refresh_tokens SET expires_at = now() - interval '1 second' WHERE session_id IN
       (SELECT id FROM sessions WHERE account_id = $1)`,
    [sleeper.id],
  );
  await expectRefused(sleeper.refreshToken);
});

test('401 invalid_refresh_token: an account that was closed', async () => {
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [consumer.id]);
  await expectRefused(consumer.refreshToken);
});

test('401 invalid_client: an app whose refresh grant was taken away', async () => {
  const owner = await createMerchant(app);
  const consumer = await createConsumer(app, owner);
  await app.pool.query(`UPDATE oauth_apps SET grant_types = '{password}' WHERE merchant_id = $1`, [owner.id]);
  expect((await renew<ErrorBody>(consumer.refreshToken, owner.uuid)).body.error).toBe('invalid_client');
});

test('401 invalid_refresh_token: an access token is none', async () => {
  const consumer = await createConsumer(app, merchant);
  const { status } = await renew(consumer.token.slice(0, 256));
  expect(status).toBe(401);
});

test('400 missing_parameter: the grant needs its token', async () => {
  const reply = await call(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'refresh_token',
  });
  expect(reply).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { refresh_token: 'The refresh_token must not be empty.' } },
  });
});

test('a refresh token is stored as its SHA-256 hash only', async () => {
  const { refreshToken } = await createConsumer(app, merchant);
  expect(await tablesHolding(app.pool, refreshToken)).toEqual([]);
  expect(await tablesHolding(app.pool, Buffer.from(refreshToken).toString('hex'))).toEqual([]);
  const { rows } = await app.pool.query(
    `SELECT 1 FROM refresh_tokens WHERE token_hash = sha256(convert_to($1, 'UTF8'))`,
    [refreshToken],
  );
  expect(rows).toHaveLength(1);
});
