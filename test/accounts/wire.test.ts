import qs from 'qs';
import { call } from '../support/client';
import { createConsumer, createMerchant, password, registration, type Person } from '../support/factories';
import { form, send } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

/** What existing clients send and read. The titles name the clients. */

interface Authenticated {
  access_token: string;
  refresh_token: string;
  expires: number;
  expires_at: number;
  account: Record<string, unknown>;
}

const anInteger = expect.any(Number) as unknown;
const aText = expect.any(String) as unknown;

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const accountShape = (email: string) => ({
  id: anInteger,
  uuid: aText,
  merchant_id: merchant.id,
  merchant_uuid: merchant.uuid,
  username: email,
  email,
  full_name: aText,
  referrer: aText,
  metadata: {},
  social_apps_metadata: [],
  roles: ['consumer'],
  completed: false,
  date_of_birth: 0,
  created_at: anInteger,
  updated_at: anInteger,
  expired_at: 0,
});

test.each(['/accounts', '/v2/accounts'])(
  '200: POST %s answers the tokens with `expires` and `expires_at` in seconds, and no member of the account is null',
  async (path) => {
    const fields = { ...registration('consumer', merchant.uuid), grant_type: 'password' };
    const { status, body } = await call<Authenticated>(app, 'POST', path, fields);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: aText,
      refresh_token: aText,
      expires: anInteger,
      expires_at: body.expires,
      account: accountShape(fields.username),
    });
    const days = (body.expires - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThan(30.1);
  },
);

test.each(['/accounts/authenticate', '/v2/accounts/authenticate', '/accounts/login'])(
  '200: POST %s answers the same members',
  async (path) => {
    const { email } = await createConsumer(app, merchant);
    const fields = path.endsWith('login')
      ? { email, password, merchant_uuid: merchant.uuid }
      : { username: email, password, client_id: merchant.uuid, grant_type: 'password' };
    const { status, body } = await call<Authenticated>(app, 'POST', path, fields);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['access_token', 'refresh_token', 'expires', 'expires_at', 'account']);
    expect(body.expires_at).toBe(body.expires);
    expect(body.account).toEqual(accountShape(email));
  },
);

test('200: O registers with an address for a name, blanks, and a JSON text in the metadata', async () => {
  const fields = {
    ...registration('consumer', merchant.uuid),
    metadata: { first_name: ' ', surname: ' ', consents: '[{"name":"terms","accepted":true}]', us_state: '' },
    branding_id: 'undefined',
  };
  const body = qs.stringify({ ...fields, full_name: fields.username }, { format: 'RFC1738' });
  const { status, body: answer } = await send<Authenticated>(app, 'POST', '/accounts', { body, contentType: form });
  expect(status).toBe(200);
  expect(answer.account).toMatchObject({ full_name: fields.username, metadata: fields.metadata });
});

test('200: J registers with a date of birth as a text; the account has it in seconds', async () => {
  const fields = { ...registration('consumer', merchant.uuid), date_of_birth: '1999-03-05' };
  const { body } = await call<Authenticated>(app, 'POST', '/accounts', fields);
  expect(body.account['date_of_birth']).toBe(Date.UTC(1999, 2, 5) / 1000);
});

test.each(['/accounts', '/v2/accounts', '/v3/accounts'])('200: GET %s answers the account', async (path) => {
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await call(app, 'GET', path, undefined, consumer);
  expect(status).toBe(200);
  expect(body).toEqual(accountShape(consumer.email));
});

test('200: a GET with a content type and no body, and a token without the word Bearer', async () => {
  const consumer = await createConsumer(app, merchant);
  const headers = { 'Content-Type': 'application/json', Authorization: consumer.token };
  expect((await call(app, 'GET', '/accounts', undefined, { headers })).status).toBe(200);
});

test('200: mobile clients mark their requests with headers that a browser may send as well', async () => {
  const asked = 'authorization, content-type, retry-count, authentication-type';
  const { headers } = await send(app, 'OPTIONS', '/accounts', { headers: { 'Access-Control-Request-Headers': asked } });
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ') ?? [];
  expect(allowed).toEqual(expect.arrayContaining(asked.split(', ')));
});

test('409 account_exists: the text that O looks for, in any case', async () => {
  const fields = registration('consumer', merchant.uuid);
  await call(app, 'POST', '/accounts', fields);
  const { status, body } = await call<{ message: string }>(app, 'POST', '/accounts', fields);
  expect(status).toBe(409);
  expect(body.message.toLowerCase()).toContain('account already exists');
});

test('401 invalid_auth_token: a code that is a number, a message that is a text', async () => {
  expect(await call(app, 'GET', '/accounts', undefined, { token: 'dead' })).toMatchObject({
    status: 401,
    body: { code: 401, message: 'Invalid auth token', explain: aText },
  });
});

test('200: logout answers a Message, for a dead token and for none', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const options of [consumer, consumer, {}])
    expect(await call(app, 'GET', '/accounts/logout', undefined, options)).toMatchObject({
      status: 200,
      body: { code: 200, message: aText, explain: aText },
    });
});
