import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { auditOf, createFollower, signIn } from '../../support/followers';
import { startApp, type TestApp } from '../../support/startApp';

interface Created {
  access_token: string;
  expires: number;
  account: { id: number };
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const address = () => `customer-${randomUUID()}@example.org`;
const create = (token: string, fields: Record<string, unknown>) =>
  call<Created>(app, 'POST', '/v2/accounts/customers', fields, { token });

test('200: a consumer of the merchant, signed in for 30 days, named by four fields only', async () => {
  const merchant = await createMerchant(app);
  const email = address();
  const fields = {
    email,
    full_name: 'Ana Petrova',
    password,
    referrer: 'https://shop.example.org/',
    metadata: { a: 'b' },
  };
  const { status, body } = await create(merchant.token, fields);
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
  expect(Math.round((body.expires - Date.now() / 1000) / 86_400)).toBe(30);
  const account = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
  expect(account.body).toMatchObject({ full_name: 'Ana Petrova', merchant_id: merchant.id, metadata: { a: 'b' } });
  expect((await signIn(app, email, merchant.uuid)).id).toBe(body.account.id);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'account.create',
    object_id: String(body.account.id),
  });
});

test('200: with the address alone; no password that anyone could know opens it', async () => {
  const merchant = await createMerchant(app);
  const email = address();
  const { status, body } = await create(merchant.token, { email });
  expect(status).toBe(200);
  const account = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
  expect(account.body).toMatchObject({ full_name: email, email });
  await expect(signIn(app, email, merchant.uuid)).rejects.toThrow('answered 401');
});

test('200: metadata as a list of names and values', async () => {
  const merchant = await createMerchant(app);
  const { body } = await create(merchant.token, { email: address(), metadata: [{ name: 'city', value: 'Ohrid' }] });
  const account = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
  expect(account.body).toMatchObject({ metadata: { city: 'Ohrid' } });
});

test('409 account_exists: the merchant has a consumer of that address; another merchant’s does not count', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const fields = { email: ` ${consumer.email.toUpperCase()}` };
  expect(await create(merchant.token, fields)).toMatchObject({ status: 409, body: { error: 'account_exists' } });
  expect((await create(other.token, fields)).status).toBe(200);
  expect(await auditOf(app, merchant)).toEqual([]);
});

test('400 missing_parameter, 422 invalid_input: an address, and a password of 8 characters', async () => {
  const merchant = await createMerchant(app);
  expect((await create(merchant.token, { full_name: 'Ana' })).body).toMatchObject({
    error: 'missing_parameter',
    errors: { email: 'The email must not be empty.' },
  });
  expect((await create(merchant.token, { email: 'nowhere' })).status).toBe(422);
  expect((await create(merchant.token, { email: address(), password: 'short' })).status).toBe(422);
});

test('403 forbidden: a consumer, and a follower without accounts:write', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const refused = await createFollower(app, merchant, ['accounts:read']);
  const allowed = await createFollower(app, merchant, ['accounts:write']);
  const statuses = [];
  for (const { token } of [consumer, refused, allowed])
    statuses.push((await create(token, { email: address() })).status);
  expect(statuses).toEqual([403, 403, 200]);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'POST', '/v2/accounts/customers', { email: address() })).status).toBe(401);
});
