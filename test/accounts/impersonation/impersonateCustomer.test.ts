import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { endUnheard } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

interface CustomerSession {
  access_token: string;
  expires: number;
  expires_at: number;
  account: { id: number };
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const impersonate = (token: string, customer_id: unknown) =>
  call<CustomerSession>(app, 'POST', '/v2/accounts/impersonate', { customer_id }, { token });
const statusOf = async (token: string) => (await call(app, 'GET', '/accounts', undefined, { token })).status;

test('200: an hour’s session as the customer, told of in the audit log', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await impersonate(merchant.token, consumer.id);
  expect({ status, id: body.account.id, same: body.expires === body.expires_at }).toEqual({
    status: 200,
    id: consumer.id,
    same: true,
  });
  expect(Math.round((body.expires - Date.now() / 1000) / 60)).toBe(60);
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(claims).toMatchObject({ sub: consumer.uuid, role: 'consumer', act: { sub: merchant.uuid } });
  const account = await call(app, 'GET', '/accounts', undefined, { token: body.access_token });
  expect(account.body).toMatchObject({ id: consumer.id, roles: ['consumer'] });
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'impersonation.start',
    object_type: 'account',
    object_id: String(consumer.id),
    actor_account_id: merchant.id,
  });
});

test('401 invalid_auth_token: a session that has ended acts as nobody, although a replica still trusts it', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  expect(await statusOf(merchant.token)).toBe(200);
  await endUnheard(app, merchant);
  expect(await impersonate(merchant.token, consumer.id)).toMatchObject({
    status: 401,
    body: { error: 'invalid_auth_token' },
  });
});

test('200: the session ends with the merchant’s own, and the customer’s sessions go on', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { body } = await impersonate(merchant.token, consumer.id);
  expect(await statusOf(body.access_token)).toBe(200);
  await call(app, 'GET', '/accounts/logout', undefined, merchant);
  await until(async () => (await statusOf(body.access_token)) === 401);
  expect(await statusOf(consumer.token)).toBe(200);
});

test('200: a follower with the scope, for its own customers only', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['impersonate']);
  const own = await createConsumer(app, follower);
  const masters = await createConsumer(app, master);
  expect((await impersonate(follower.token, own.id)).status).toBe(200);
  expect((await impersonate(follower.token, masters.id)).status).toBe(400);
});

test('400 account_does_not_exist: another merchant’s customer, a merchant, an inactive one', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const foreign = await createConsumer(app, other);
  const inactive = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [inactive.id]);
  for (const id of [foreign.id, other.id, merchant.id, inactive.id, 2_000_000_000])
    expect(await impersonate(merchant.token, id)).toMatchObject({
      status: 400,
      body: { error: 'account_does_not_exist', message: 'The account does not exist' },
    });
  expect(await auditOf(app, merchant)).toEqual([]);
});

test('403 forbidden: the token does not change the password, nor go on to somebody else', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { body } = await impersonate(merchant.token, consumer.id);
  const change = {
    old_password: password,
    password: 'another-good-password',
    password_confirmation: 'another-good-password',
  };
  const changed = await call(app, 'POST', '/accounts/change-password', change, { token: body.access_token });
  expect(changed).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect((await impersonate(body.access_token, consumer.id)).status).toBe(403);
});

test('403 forbidden: a consumer, and a follower without the scope', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const follower = await createFollower(app, merchant, ['accounts:write']);
  expect((await impersonate(consumer.token, consumer.id)).status).toBe(403);
  expect((await impersonate(follower.token, consumer.id)).status).toBe(403);
});

test('400 missing_parameter, 422 invalid_input: the customer’s id', async () => {
  const merchant = await createMerchant(app);
  expect((await impersonate(merchant.token, '')).body).toMatchObject({ error: 'missing_parameter' });
  expect((await impersonate(merchant.token, ['1', '2'])).body).toMatchObject({ error: 'invalid_input' });
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'POST', '/v2/accounts/impersonate', { customer_id: 1 })).status).toBe(401);
});
