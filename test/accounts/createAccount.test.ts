import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { call } from '../support/client';
import { createConsumer, createMerchant, password, registration, type Person } from '../support/factories';
import { letPass } from '../support/guesses';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { tablesHolding } from '../support/stored';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const paths = ['/accounts', '/v2/accounts'] as const;
const thirtyDays = 30 * 86_400;

const register = <Body = Authentication>(fields: object, path: string = paths[0]) =>
  call<Body>(app, 'POST', path, { ...fields });
const refuse = (fields: object, path?: string) => register<ErrorBody>(fields, path);

describe.each(paths)('POST %s', (path) => {
  test('200: a consumer of the merchant is registered and signed in', async () => {
    const before = Math.floor(Date.now() / 1000);
    const fields = { ...registration('consumer', merchant.uuid), referrer: 'https://shop.example.org/' };
    const { status, body } = await register({ ...fields, metadata: { first_name: ' ', consents: '[]' } }, path);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/) as string,
      expires: body.expires_at,
      expires_at: expect.any(Number) as number,
      account: {
        id: expect.any(Number) as number,
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        merchant_id: merchant.id,
        merchant_uuid: merchant.uuid,
        username: fields.username,
        email: fields.username,
        full_name: 'Ana Petrova',
        referrer: 'https://shop.example.org/',
        metadata: { first_name: ' ', consents: '[]' },
        social_apps_metadata: [],
        roles: ['consumer'],
        completed: false,
        date_of_birth: 0,
        created_at: expect.any(Number) as number,
        updated_at: body.account.created_at,
        expired_at: 0,
      },
    });
    expect(body.expires - before).toBeGreaterThanOrEqual(thirtyDays);
    expect(body.account.created_at).toBeGreaterThanOrEqual(before - 1);
    const own = await call(app, 'GET', path, undefined, { token: body.access_token });
    expect(own).toMatchObject({ status: 200, body: body.account });
  });

  test('429 too_many_requests: who asks again and again for an address that is taken; others register', async () => {
    const taken = { ...registration('consumer', merchant.uuid), username: (await createConsumer(app, merchant)).email };
    const statuses: number[] = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await refuse(taken, path)).status);
    expect(statuses).toEqual([409, 409, 409, 409, 409, 409]);
    await letPass(app, '-1 minute');
    const refused = await refuse(taken, path);
    expect(refused).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await register(registration('consumer', merchant.uuid), path)).status).toBe(200);
  });

  test('200: a merchant registers with the platform, and is its own merchant', async () => {
    const { status, body } = await register(registration('merchant', 'platform'), path);
    expect(status).toBe(200);
    expect(body.account).toMatchObject({
      roles: ['merchant'],
      merchant_id: body.account.id,
      merchant_uuid: body.account.uuid,
    });
    expect((await register(registration('consumer', body.account.uuid), path)).status).toBe(200);
  });

  test('400 missing_parameter: all absent fields are named, and no present one is checked', async () => {
    expect(await refuse({ full_name: 'Ana', username: 'no address', metadata: 'x' }, path)).toMatchObject({
      status: 400,
      body: {
        code: 400,
        message: 'Missing required parameter: The password must not be empty.',
        error: 'missing_parameter',
        errors: {
          password: 'The password must not be empty.',
          password_confirmation: 'The password_confirmation must not be empty.',
          type: 'The type must not be empty.',
          client_id: 'The client_id must not be empty.',
        },
      },
    });
  });

  test('401 invalid_client: no app has this client id', async () => {
    for (const clientId of ['platform', 'unknown', '00000000-0000-4000-8000-000000000000', "x' OR '1'='1"])
      expect(await refuse(registration('consumer', clientId), path)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client', message: 'Invalid client' },
      });
    expect((await refuse(registration('merchant', merchant.uuid), path)).body.error).toBe('invalid_client');
  });

  test('409 account_exists: the address is taken, in whatever spelling', async () => {
    const { email } = await createConsumer(app, merchant);
    for (const username of [email, email.toUpperCase(), ` ${email} `])
      expect(await refuse({ ...registration('consumer', merchant.uuid), username }, path)).toMatchObject({
        status: 409,
        body: { code: 409, message: 'Account already exists', error: 'account_exists' },
      });
    expect((await refuse({ ...registration('merchant', 'platform'), username: merchant.email }, path)).body.error).toBe(
      'account_exists',
    );
  });

  test.each([
    ['username', 'ana'],
    ['username', 'ana@example.org,eve@example.org'],
    ['password', 'short'],
    ['password', 'ß'.repeat(129)],
    ['password_confirmation', `${password}x`],
    ['type', 'admin'],
    ['full_name', 'x'.repeat(251)],
    ['date_of_birth', 'yesterday'],
    ['date_of_birth', '-100000000000'],
    ['date_of_birth', '8640000000000'],
    ['grant_type', 'implicit'],
    ['metadata', 'text'],
  ])('422 invalid_input: %s = %s', async (name, value) => {
    const { status, body } = await refuse({ ...registration('consumer', merchant.uuid), [name]: value }, path);
    expect({ status, error: body.error, fields: Object.keys(body.errors ?? {}) }).toEqual({
      status: 422,
      error: 'invalid_input',
      fields: [name],
    });
  });
});

test('200: the same address at two merchants is two accounts; a merchant and a consumer may share one', async () => {
  const other = await createMerchant(app);
  const fields = registration('consumer', merchant.uuid);
  const first = await register(fields);
  const second = await register({ ...fields, client_id: other.uuid });
  const third = await register({ ...fields, type: 'merchant', client_id: 'platform' });
  expect(new Set([first, second, third].map(({ body }) => body.account.id)).size).toBe(3);
});

test('200: what a request says of role, merchant or id changes nothing', async () => {
  const other = await createMerchant(app);
  const claims = { roles: ['merchant'], role: 'merchant', id: 1, merchant_id: other.id, merchant_uuid: other.uuid };
  const { body } = await register({ ...registration('consumer', merchant.uuid), ...claims, is_active: false });
  expect(body.account).toMatchObject({ roles: ['consumer'], merchant_id: merchant.id, merchant_uuid: merchant.uuid });
  expect(body.account.id).not.toBe(1);
});

test('200: a date of birth is Unix seconds or ISO 8601, and comes back as seconds', async () => {
  for (const sent of ['1990-02-03', '634003200', '1990-02-03T10:00:00Z']) {
    const { body } = await register({ ...registration('consumer', merchant.uuid), date_of_birth: sent });
    expect(body.account.date_of_birth).toBe(634_003_200);
  }
});

test('200: metadata as a list of pairs is an object too', async () => {
  const metadata = [{ name: 'first_name', value: 'Ana' }];
  const { body } = await register({ ...registration('consumer', merchant.uuid), metadata });
  expect(body.account.metadata).toEqual({ first_name: 'Ana' });
});

test('409 account_exists: of ten registrations of one address at once, one succeeds, and of the others some have to wait', async () => {
  const fields = registration('consumer', merchant.uuid);
  const answers = await Promise.all(Array.from({ length: 10 }, () => register(fields)));
  const statuses = answers.map(({ status }) => status).sort();
  expect([statuses[0], statuses[1]]).toEqual([200, 409]);
  expect(statuses.slice(1).every((status) => status === 409 || status === 429)).toBe(true);
});

test('the password is stored as an argon2id hash, and neither token is stored at all', async () => {
  const secret = 'päßwörter are long 🔑';
  const fields = { ...registration('consumer', merchant.uuid), password: secret, password_confirmation: secret };
  const { body } = await register(fields);
  for (const text of [secret, body.access_token, body.refresh_token])
    expect(await tablesHolding(app.pool, text)).toEqual([]);
  const { rows } = await app.pool.query<{ password_hash: string }>('SELECT password_hash FROM accounts WHERE id = $1', [
    body.account.id,
  ]);
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=(19456|[2-9]\d{4,}),t=[2-9],p=1\$/);
});
