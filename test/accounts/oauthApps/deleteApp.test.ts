import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { auditOf, createApp, deed, listApps, pathsOfNone, signInThrough, storedApps } from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const remove = (merchant: Person, path: string) => call(app, 'DELETE', path, undefined, merchant);
const notFound = { status: 404, body: { error: 'app_not_found', message: 'App not found' } };

test('200: the app is gone and its sessions end', async () => {
  const merchant = await createMerchant(app);
  const { id, client_id } = await createApp(app, merchant);
  const consumer = await createConsumer(app, merchant);
  const token = (await signInThrough(app, client_id, consumer)).body.access_token;
  expect(await remove(merchant, `/accounts/apps/${id}`)).toMatchObject({ status: 200, body: { code: 200 } });
  expect((await call(app, 'GET', '/accounts', undefined, { token })).status).toBe(401);
  expect((await signInThrough(app, client_id, consumer)).status).toBe(401);
  expect((await listApps(app, merchant)).total).toBe(1);
  expect(await remove(merchant, `/accounts/apps/${id}`)).toMatchObject(notFound);
});

test('200: the audit log says who deleted it', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createApp(app, merchant);
  await remove(merchant, `/accounts/apps/${id}`);
  expect(await auditOf(app, merchant)).toMatchObject([
    deed('app.delete', merchant, id),
    deed('app.create', merchant, id),
  ]);
});

test('404 app_not_found: another merchant’s app, and no app; and nothing changes', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const paths = await pathsOfNone(app, other);
  const before = await storedApps(app);
  for (const path of paths) expect(await remove(merchant, path)).toMatchObject(notFound);
  expect(await storedApps(app)).toEqual(before);
});

test('409 default_app: the default one stays', async () => {
  const merchant = await createMerchant(app);
  const id = (await listApps(app, merchant)).collection[0]?.id;
  expect(await remove(merchant, `/accounts/apps/${id}`)).toMatchObject({
    status: 409,
    body: { error: 'default_app' },
  });
  expect((await listApps(app, merchant)).total).toBe(1);
});
