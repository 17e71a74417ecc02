import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person, registration } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { type ErrorBody } from '../../support/raw';
import { requireFactors } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

/** `POST /v2/accounts` as merchants' back ends call it: their token, and an e-mail. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const newEmail = () => `customer-${randomUUID()}@example.org`;
const create = <Body = ErrorBody>(fields: Record<string, unknown>, token?: string) =>
  call<Body>(app, 'POST', '/v2/accounts', fields, token === undefined ? {} : { token });

async function accountsOf(email: string): Promise<unknown[]> {
  const text = 'SELECT merchant_id, role, full_name FROM accounts WHERE email_normalized = $1';
  return (await app.pool.query<Record<string, unknown>>(text, [email])).rows;
}

test('200: a merchant’s token and an e-mail make a customer of the merchant, who is signed in', async () => {
  const email = newEmail();
  const { status, body } = await create<{ access_token: string }>({ email }, merchant.token);
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      access_token: expect.any(String) as string,
      expires: expect.any(Number) as number,
      expires_at: expect.any(Number) as number,
      account: {
        id: expect.any(Number) as number,
        email,
        created_at: expect.any(Number) as number,
        updated_at: expect.any(Number) as number,
      },
    },
  });
  expect(await accountsOf(email)).toEqual([{ merchant_id: merchant.id, role: 'consumer', full_name: email }]);
  expect((await call(app, 'GET', '/accounts', undefined, { token: body.access_token })).status).toBe(200);
});

test('200: with a name and metadata, by a follower with accounts:write', async () => {
  const email = newEmail();
  const follower = await createFollower(app, merchant, ['accounts:write']);
  const fields = { email, full_name: 'Ana', metadata: { city: 'Bitola' } };
  expect((await create(fields, follower.token)).status).toBe(200);
  expect(await accountsOf(email)).toMatchObject([{ role: 'consumer', full_name: 'Ana' }]);
});

test('200: who registers with a username needs no token, and a stale one does not matter', async () => {
  for (const token of [undefined, 'stale', merchant.token]) {
    const fields = registration('consumer', merchant.uuid);
    const { status, body } = await create<{ refresh_token: string }>(fields, token);
    expect({ status, body }).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) as string } });
  }
});

test('409 account_exists: the merchant has such a customer', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await create({ email: consumer.email }, merchant.token)).toMatchObject({
    status: 409,
    body: { error: 'account_exists' },
  });
});

test('401 invalid_auth_token, 403 forbidden: other tokens make nobody', async () => {
  const email = newEmail();
  const consumer = await createConsumer(app, merchant);
  const follower = await createFollower(app, merchant, ['accounts:read']);
  expect(await create({ email }, 'stale')).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
  for (const { token } of [consumer, follower])
    expect(await create({ email }, token)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect(await accountsOf(email)).toEqual([]);
});

test('400 missing_parameter: an e-mail without a token is no registration', async () => {
  const { status, body } = await create({ email: newEmail() });
  expect(status).toBe(400);
  expect(Object.keys(body.errors ?? {})).toEqual([
    'full_name',
    'username',
    'password',
    'password_confirmation',
    'type',
    'client_id',
  ]);
});

test('422 invalid_input: an e-mail that is none, and a password that is too short', async () => {
  expect(await create({ email: 'ana@' }, merchant.token)).toMatchObject({
    status: 422,
    body: { errors: { email: expect.any(String) as string } },
  });
  expect((await create({ email: newEmail(), password: 'short' }, merchant.token)).status).toBe(422);
});

test('403 second_factor_missing: a merchant that requires a second factor, and has none', async () => {
  const strict = await createMerchant(app);
  await requireFactors(app, strict);
  const email = newEmail();
  expect(await create({ email }, strict.token)).toMatchObject({
    status: 403,
    body: { error: 'second_factor_missing' },
  });
  expect(await accountsOf(email)).toEqual([]);
});
