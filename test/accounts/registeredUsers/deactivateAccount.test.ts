import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const deactivate = (caller: Pick<Person, 'token'> | undefined, customerId: unknown) =>
  call(app, 'DELETE', '/accounts', { customerID: customerId }, caller);

test('200: the customer is signed out everywhere, cannot sign in or renew, and it is in the audit log', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const channel = await listen(app, consumer);
  expect(await deactivate(merchant, consumer.id)).toMatchObject({ status: 200, body: { code: 200 } });
  expect(await channel.closed).toBe(4401);
  expect(channel.heard.map(({ type }) => type)).toEqual(['account.deactivated']);
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 401 });
  const client = { client_id: merchant.uuid };
  const credentials = { grant_type: 'password', username: consumer.email, password };
  const refresh = { grant_type: 'refresh_token', refresh_token: consumer.refreshToken };
  for (const fields of [credentials, refresh])
    expect(await call(app, 'POST', '/accounts/authenticate', { ...client, ...fields })).toMatchObject({
      status: 401,
      body: { message: 'Invalid credentials' },
    });
  // The refused sign-in may be in the log as well.
  const { body } = await call<{ collection: { action: string }[] }>(app, 'GET', '/audit', undefined, merchant);
  expect(body.collection.filter(({ action }) => action !== 'sign_in.fail')).toMatchObject([
    { action: 'account.deactivate', object_id: String(consumer.id), actor_account_id: merchant.id },
  ]);
});

test('200: again does no harm', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await deactivate(merchant, consumer.id);
  expect(await deactivate(merchant, consumer.id)).toMatchObject({ status: 200 });
});

test('400 account_does_not_exist: another merchant’s customer, a merchant, nobody; and nothing changes', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  for (const [caller, id] of [
    [other, consumer.id],
    [other, merchant.id],
    [merchant, merchant.id],
    [merchant, 2_147_483_647],
  ] as const)
    expect(await deactivate(caller, id)).toMatchObject({
      status: 400,
      body: { error: 'account_does_not_exist', message: 'The account does not exist' },
    });
  expect(await call(app, 'GET', '/accounts', undefined, consumer)).toMatchObject({ status: 200 });
});

test('400 missing_parameter: the customer is needed', async () => {
  const merchant = await createMerchant(app);
  expect(await call(app, 'DELETE', '/accounts', {}, merchant)).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { customerID: 'The customerID must not be empty.' } },
  });
});

test('422 invalid_input: an id that is none', async () => {
  const merchant = await createMerchant(app);
  for (const id of ['x', '-1', '0', '2147483648', '1.5'])
    expect(await deactivate(merchant, id)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('403 forbidden: a consumer deactivates nobody, not even itself', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await deactivate(consumer, consumer.id)).toMatchObject({ status: 403 });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await deactivate(undefined, 1)).toMatchObject({ status: 401 });
});
