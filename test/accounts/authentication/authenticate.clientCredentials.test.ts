import { type z } from 'zod';
import { type AuthenticationResponse } from '../../../src/accounts/accounts.schemas';
import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import * as oauthApps from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';

type Authentication = z.output<typeof AuthenticationResponse>;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const createApp = (merchant: Person) => oauthApps.createApp(app, merchant);
const authenticate = (clientId: string, secret: string) => oauthApps.authenticateBySecret(app, clientId, secret);

test('200: the secret of an app stands for its merchant', async () => {
  const merchant = await createMerchant(app);
  const { client_id, secret } = await createApp(merchant);
  const { status, body } = await authenticate(client_id, secret);
  expect(status).toBe(200);
  expect(body.account.id).toBe(merchant.id);
  expect(body.expires).toBe(body.expires_at);
  const apps = await call(app, 'GET', '/accounts/apps', undefined, { token: body.access_token });
  expect(apps.status).toBe(200);
});

test('401 invalid_client: a wrong secret, another app’s, and an app without one', async () => {
  const merchant = await createMerchant(app);
  const [first, second] = [await createApp(merchant), await createApp(merchant)];
  for (const [client_id, secret] of [
    [first.client_id, `${first.secret}x`],
    [first.client_id, second.secret],
    [merchant.uuid, first.secret],
    ['platform', first.secret],
  ] as const)
    expect(await authenticate(client_id, secret)).toMatchObject({ status: 401, body: { message: 'Invalid client' } });
});

test('401 invalid_client: an app that does not allow the grant type, and an inactive one', async () => {
  const merchant = await createMerchant(app);
  for (const change of [{ grant_types: ['password'] }, { active: false }]) {
    const { id, client_id, secret } = await createApp(merchant);
    const { access_token: token } = (await authenticate(client_id, secret)).body;
    await call(app, 'PUT', `/accounts/apps/${id}`, { sso: false, ...change }, merchant);
    expect((await authenticate(client_id, secret)).status).toBe(401);
    expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(401);
  }
});

test('401 invalid_refresh_token: a session that a secret opened is renewed with the secret only', async () => {
  const { client_id, secret } = await createApp(await createMerchant(app));
  const { refresh_token } = (await authenticate(client_id, secret)).body;
  const renewal = { grant_type: 'refresh_token', client_id, refresh_token };
  const renew = (more = {}) => call<Authentication>(app, 'POST', '/accounts/authenticate', { ...renewal, ...more });
  expect(await renew()).toMatchObject({ status: 401, body: { error: 'invalid_refresh_token' } });
  expect(await renew({ client_secret: `${secret}x` })).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
  expect((await renew({ client_secret: secret })).status).toBe(200);
});
