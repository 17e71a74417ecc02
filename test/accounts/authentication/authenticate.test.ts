import { type z } from 'zod';
import { type AuthenticationResponse } from '../../../src/accounts/accounts.schemas';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

function authenticate(fields: Record<string, unknown>, path = '/accounts/authenticate') {
  return call<Authentication>(app, 'POST', path, fields);
}

function credentials(person: Person, given = password) {
  return { grant_type: 'password', client_id: person.merchantUuid, username: person.email, password: given };
}

test.each(['/accounts/authenticate', '/v2/accounts/authenticate'])(
  '200: %s answers both times of expiry, 30 days ahead, and a token that works',
  async (path) => {
    const consumer = await createConsumer(app, await createMerchant(app));
    const { status, body } = await authenticate(credentials(consumer), path);
    expect(status).toBe(200);
    expect(body.expires).toBe(body.expires_at);
    expect(Math.abs(body.expires - Date.now() / 1000 - 30 * 86_400)).toBeLessThan(60);
    const own = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
    expect(own).toMatchObject({ status: 200, body: { id: consumer.id } });
  },
);

test('200: the e-mail and the client id may be spelled otherwise, and the session renews all the same', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const client_id = consumer.merchantUuid.toUpperCase();
  const spelled = { ...credentials(consumer), client_id, username: `  ${consumer.email.toUpperCase()} ` };
  const { status, body } = await authenticate(spelled);
  expect(status).toBe(200);
  const renewal = { grant_type: 'refresh_token', client_id: consumer.merchantUuid, refresh_token: body.refresh_token };
  expect((await authenticate(renewal)).status).toBe(200);
});

test('200: a merchant signs in through the platform and through its own app', async () => {
  const merchant = await createMerchant(app);
  expect((await authenticate({ ...credentials(merchant), client_id: 'platform' })).body.account.id).toBe(merchant.id);
  expect((await authenticate(credentials(merchant))).body.account.id).toBe(merchant.id);
});

test('401 invalid_credentials: an unknown account, a wrong password and an inactive account tell nothing apart', async () => {
  const merchant = await createMerchant(app);
  const [consumer, inactive] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [inactive.id]);
  const answers = await Promise.all([
    authenticate({ ...credentials(consumer), username: 'nobody@example.org' }),
    authenticate(credentials(consumer, 'wrong-battery-staple')),
    authenticate(credentials(inactive)),
  ]);
  for (const { status, body } of answers) {
    expect(status).toBe(401);
    expect(body).toEqual(answers[0]?.body);
    expect(body).toMatchObject({ code: 401, message: 'Invalid credentials', error: 'invalid_credentials' });
  }
});

test('401 invalid_credentials: a consumer of one merchant is unknown to another, and to the platform', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const other = await createMerchant(app);
  for (const client_id of [other.uuid, 'platform'])
    expect((await authenticate({ ...credentials(consumer), client_id })).status).toBe(401);
});

test('401 invalid_client: an unknown client', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const answer = await authenticate({ ...credentials(consumer), client_id: 'nobody' });
  expect(answer).toMatchObject({ status: 401, body: { message: 'Invalid client' } });
});

test.each([
  ['password', { username: expect.any(String) as string, password: expect.any(String) as string }],
  ['client_credentials', { client_secret: 'The client_secret must not be empty.' }],
  ['refresh_token', { refresh_token: 'The refresh_token must not be empty.' }],
])('400 missing_parameter: %s without what it needs', async (grant_type, errors) => {
  const answer = await authenticate({ grant_type, client_id: 'platform' });
  expect(answer).toMatchObject({ status: 400, body: { error: 'missing_parameter', errors } });
});

test('422 invalid_input: v2 knows the password grant only', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const fields = { ...credentials(consumer), grant_type: 'client_credentials' };
  expect((await authenticate(fields, '/v2/accounts/authenticate')).status).toBe(422);
});

test('200: a hash with weaker parameters than today’s is made anew, and the password stays', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { hash } = await import('@node-rs/argon2');
  const weak = await hash(password, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await app.pool.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [consumer.id, weak]);
  expect((await authenticate(credentials(consumer))).status).toBe(200);
  const { rows } = await app.pool.query<{ password_hash: string }>('SELECT * FROM accounts WHERE id = $1', [
    consumer.id,
  ]);
  expect(rows[0]?.password_hash).toContain('$m=19456,t=2,p=1$');
  expect((await authenticate(credentials(consumer))).status).toBe(200);
});
