import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { call } from '../support/client';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

afterAll(() => app.stop());

const paths = ['/accounts/authenticate', '/v2/accounts/authenticate'] as const;

const credentials = (person: Person, clientId = person.merchantUuid) => ({
  client_id: clientId,
  grant_type: 'password',
  username: person.email,
  password,
});

const wrong = {
  code: 401,
  message: 'Invalid credentials',
  error: 'invalid_credentials',
  explain: 'Invalid credentials',
};

describe.each(paths)('POST %s', (path) => {
  const signIn = <Body = Authentication>(fields: object) => call<Body>(app, 'POST', path, { ...fields });
  const refuse = (fields: object) => signIn<ErrorBody>(fields);

  test('200: the password opens a session of its own', async () => {
    const { status, body } = await signIn(credentials(consumer));
    expect(status).toBe(200);
    expect(body).toMatchObject({ account: { id: consumer.id, email: consumer.email }, expires: body.expires_at });
    expect(body.access_token).not.toBe(consumer.token);
    for (const token of [body.access_token, consumer.token])
      expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(200);
  });

  test('200: the address in another spelling is the same account', async () => {
    const username = ` ${consumer.email.toUpperCase()} `;
    expect((await signIn({ ...credentials(consumer), username })).body.account.id).toBe(consumer.id);
  });

  test('200: a merchant signs in through the platform or through its own app', async () => {
    for (const clientId of ['platform', merchant.uuid, merchant.uuid.toUpperCase()])
      expect((await signIn(credentials(merchant, clientId))).body.account.id).toBe(merchant.id);
  });

  test('200: with one address at two merchants, the client id says which account is meant', async () => {
    const other = await createMerchant(app);
    const fields = { full_name: 'Ana', password, password_confirmation: password, type: 'consumer' };
    const there = await call<Authentication>(app, 'POST', '/accounts', {
      ...fields,
      username: consumer.email,
      client_id: other.uuid,
    });
    expect((await signIn(credentials(consumer, other.uuid))).body.account.id).toBe(there.body.account.id);
    expect((await signIn(credentials(consumer))).body.account.id).toBe(consumer.id);
  });

  test('400 missing_parameter: client id and grant type, then what the grant needs', async () => {
    expect((await refuse({})).body.errors).toMatchObject({
      client_id: 'The client_id must not be empty.',
      grant_type: 'The grant_type must not be empty.',
    });
    expect(await refuse({ client_id: merchant.uuid, grant_type: 'password', username: 'x' })).toMatchObject({
      status: 400,
      body: { error: 'missing_parameter', errors: { password: 'The password must not be empty.' } },
    });
  });

  test('401 invalid_credentials: a wrong password, an unknown account and an inactive one answer alike', async () => {
    const inactive = await createConsumer(app, merchant);
    await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [inactive.id]);
    const attempts = [
      { ...credentials(consumer), password: `${password}x` },
      { ...credentials(consumer), password: password.toUpperCase() },
      { ...credentials(consumer), username: 'nobody@example.org' },
      { ...credentials(consumer), username: "' OR '1'='1" },
      credentials(inactive),
    ];
    for (const fields of attempts) {
      const { status, body } = await refuse(fields);
      expect({ status, body }).toEqual({ status: 401, body: wrong });
    }
  });

  test('401 invalid_credentials: a consumer through the platform, or through another merchant', async () => {
    const other = await createMerchant(app);
    for (const clientId of ['platform', other.uuid])
      expect((await refuse(credentials(consumer, clientId))).body).toEqual(wrong);
    expect((await refuse(credentials(merchant, other.uuid))).body).toEqual(wrong);
  });

  test('401 invalid_client: an unknown app, an inactive one, a grant that it does not allow, a closed merchant', async () => {
    const owner = await createMerchant(app);
    const customer = await createConsumer(app, owner);
    const refusal = { status: 401, body: { code: 401, message: 'Invalid client', error: 'invalid_client' } };
    expect(await refuse(credentials(customer, 'unknown'))).toMatchObject(refusal);
    for (const change of [
      `UPDATE oauth_apps SET is_active = false WHERE merchant_id = $1`,
      `UPDATE oauth_apps SET is_active = true, grant_types = '{refresh_token}' WHERE merchant_id = $1`,
      `UPDATE oauth_apps SET grant_types = '{password}' WHERE merchant_id = $1`,
    ]) {
      await app.pool.query(change, [owner.id]);
      const isWhole = change.includes(`'{password}'`);
      if (isWhole) await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [owner.id]);
      expect(await refuse(credentials(customer))).toMatchObject(refusal);
    }
  });

  test.each([
    ['grant_type', 'implicit'],
    ['grant_type', ['password', 'password']],
    ['username', ['a@example.org', 'b@example.org']],
    ['username', { $ne: '' }],
    ['password', { $gt: '' }],
    ['password', 'x'.repeat(257)],
    ['username', 'x'.repeat(255)],
  ])('422 invalid_input: %s = %j', async (name, value) => {
    const { status, body } = await refuse({ ...credentials(consumer), [name]: value });
    expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 422, fields: [name] });
  });
});

test('422 invalid_input: v2 knows no refresh grant', async () => {
  const fields = { ...credentials(consumer), grant_type: 'refresh_token', refresh_token: consumer.refreshToken };
  expect((await call(app, 'POST', '/v2/accounts/authenticate', fields)).status).toBe(422);
});

test('200: a password counts in full, in either Unicode form', async () => {
  const long = 'El n\u0303andu\u0301 cruza el puente de piedra cada man\u0303ana a las ocho, sin prisa alguna 🔑';
  const fields = {
    full_name: 'Ana',
    username: `long-${merchant.id}@example.org`,
    type: 'consumer',
    client_id: merchant.uuid,
  };
  await call(app, 'POST', '/accounts', { ...fields, password: long, password_confirmation: long });
  const signIn = (typed: string) =>
    call(app, 'POST', paths[0], {
      client_id: merchant.uuid,
      grant_type: 'password',
      username: fields.username,
      password: typed,
    });
  expect((await signIn(long.normalize('NFC'))).status).toBe(200);
  expect((await signIn(long.slice(0, -2))).status).toBe(401);
});
