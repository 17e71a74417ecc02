import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { auditOf, createApp, deed, listApps, signInThrough } from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';
import { tablesHolding } from '../../support/stored';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: shows the secret once, keeps a hash of it, and its client id signs in and registers', async () => {
  const merchant = await createMerchant(app);
  const { secret, ...created } = await createApp(app, merchant);
  expect(created).toMatchObject({
    account_id: merchant.id,
    name: 'Website',
    active: 1,
    default: 0,
    sso: 0,
    grantTypes: 'password,client_credentials,refresh_token',
    redirect_uris: [],
    redirect_origins: [],
  });
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(await tablesHolding(app.pool, secret)).toEqual([]);
  expect((await listApps(app, merchant)).collection[1]).toEqual(created);
  const consumer = await createConsumer(app, { ...merchant, uuid: created.client_id });
  expect(consumer.merchantUuid).toBe(merchant.uuid);
  expect((await signInThrough(app, created.client_id, consumer)).status).toBe(200);
});

test('200: the audit log says who made it', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createApp(app, merchant);
  expect(await auditOf(app, merchant)).toMatchObject([deed('app.create', merchant, id)]);
});

test('422 invalid_input: a name of 51 characters', async () => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'POST', '/accounts/apps', { name: 'x'.repeat(51) }, merchant)).status).toBe(422);
});

test('403 forbidden: a consumer', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect((await call(app, 'POST', '/accounts/apps', { name: 'Website' }, consumer)).status).toBe(403);
});
