import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { auditOf, authenticateBySecret, createApp, deed, pathsOfNone, storedApps } from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';
import { tablesHolding } from '../../support/stored';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const replace = (merchant: Person, path: string) =>
  call<{ secret: string }>(app, 'PUT', `${path}/secret`, undefined, merchant);

test('200: replacing the secret ends what the old one opened, at once', async () => {
  const merchant = await createMerchant(app);
  const { id, client_id, secret } = await createApp(app, merchant);
  const { access_token: token } = (await authenticateBySecret(app, client_id, secret)).body;
  expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(200);
  const replaced = await replace(merchant, `/accounts/apps/${id}`);
  expect(replaced.status).toBe(200);
  expect((await authenticateBySecret(app, client_id, secret)).status).toBe(401);
  expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(401);
  expect((await authenticateBySecret(app, client_id, replaced.body.secret)).status).toBe(200);
});

test('200: the new secret is shown once, and kept as a hash', async () => {
  const merchant = await createMerchant(app);
  const { id, secret } = await createApp(app, merchant);
  const { body } = await replace(merchant, `/accounts/apps/${id}`);
  expect(body).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/) as string });
  expect(body.secret).not.toBe(secret);
  expect(await tablesHolding(app.pool, body.secret)).toEqual([]);
});

test('200: the audit log says who replaced it', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createApp(app, merchant);
  await replace(merchant, `/accounts/apps/${id}`);
  expect(await auditOf(app, merchant)).toMatchObject([
    deed('app.replace_secret', merchant, id),
    deed('app.create', merchant, id),
  ]);
});

test('404 app_not_found: another merchant’s app, and no app; and nothing changes', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const paths = await pathsOfNone(app, other);
  const before = await storedApps(app);
  for (const path of paths)
    expect(await replace(merchant, path)).toMatchObject({
      status: 404,
      body: { error: 'app_not_found', message: 'App not found' },
    });
  expect(await storedApps(app)).toEqual(before);
});
