import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { call } from '../support/client';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { letPass } from '../support/guesses';
import { codeOf, switchFactorOn } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const aText = expect.any(String) as unknown;

function login(fields: { email: string; password?: string; merchant_uuid?: string }) {
  return call<Authentication>(app, 'POST', '/accounts/login', { password, merchant_uuid: merchant.uuid, ...fields });
}

const invalidCredentials = {
  status: 401,
  body: { error: 'invalid_credentials', message: 'Invalid credentials' },
};

test('200: the password opens a session of its own', async () => {
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await login({ email: consumer.email });
  expect(status).toBe(200);
  expect(body).toMatchObject({ account: { id: consumer.id, email: consumer.email }, expires: body.expires_at });
  expect(body.access_token).not.toBe(consumer.token);
  for (const token of [body.access_token, consumer.token])
    expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(200);
});

test('200: the session is renewed as any other', async () => {
  const { email } = await createConsumer(app, merchant);
  const { refresh_token } = (await login({ email, merchant_uuid: merchant.uuid.toUpperCase() })).body;
  const renewal = { grant_type: 'refresh_token', client_id: merchant.uuid, refresh_token };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(200);
});

test('401 invalid_credentials: a wrong password, and a consumer of another merchant', async () => {
  const { email } = await createConsumer(app, merchant);
  expect(await login({ email, password: 'another-horse' })).toMatchObject(invalidCredentials);
  const other = await createMerchant(app);
  expect(await login({ email, merchant_uuid: other.uuid })).toMatchObject(invalidCredentials);
});

test('401 second_factor_required: an account with a second factor goes on at /accounts/authenticate', async () => {
  const consumer = await createConsumer(app, merchant);
  const { secret } = await switchFactorOn(app, consumer);
  const { status, body } = await login({ email: consumer.email });
  expect({ status, body }).toMatchObject({ status: 401, body: { error: 'second_factor_required' } });
  const { challenge } = body as unknown as { challenge: string };
  const proof = { second_factor_challenge: challenge, second_factor_code: codeOf(secret) };
  const sent = { grant_type: 'password', client_id: merchant.uuid, ...proof };
  expect((await call(app, 'POST', '/accounts/authenticate', sent)).status).toBe(200);
});

test('401 invalid_client: at no merchant', async () => {
  expect(await login({ email: 'ana@example.org', merchant_uuid: randomUUID() })).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});

test('400 missing_parameter: without its fields', async () => {
  expect(await call(app, 'POST', '/accounts/login', {})).toMatchObject({
    status: 400,
    body: { errors: { email: aText, password: aText, merchant_uuid: aText } },
  });
});

test('429 too_many_requests: after five free failures, here and at /accounts/authenticate together', async () => {
  const { email } = await createConsumer(app, merchant);
  const credentials = { grant_type: 'password', client_id: merchant.uuid, username: email };
  for (let count = 0; count < 3; count += 1) {
    const wrong = `wrong-${count}-battery`;
    expect((await login({ email, password: wrong })).status).toBe(401);
    const elsewhere = await call(app, 'POST', '/accounts/authenticate', { ...credentials, password: `${wrong}-x` });
    expect(elsewhere.status).toBe(401);
  }
  await letPass(app, '-1 minute');
  const { status, headers, body } = await login({ email });
  expect({ status, body }).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
});
