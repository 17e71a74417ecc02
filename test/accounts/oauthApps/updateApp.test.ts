import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import * as oauthApps from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const create = (merchant: Person) => oauthApps.createApp(app, merchant);
const list = (merchant: Person) => oauthApps.listApps(app, merchant);
const signIn = (consumer: Person, clientId: string) => oauthApps.signInThrough(app, clientId, consumer);
const update = (merchant: Person, id: number, fields: Record<string, unknown>) =>
  oauthApps.updateApp(app, merchant, id, fields);

test('200: changes what is sent and leaves the rest', async () => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  const created = (await list(merchant)).collection[1];
  const redirect_uris = ['https://shop.example.org/back?a=1', 'http://localhost:3000/back'];
  const changed = await update(merchant, id, {
    name: 'Shop',
    sso: true,
    redirect_uris,
    grant_types: ['password'],
  });
  const expected = { ...created, name: 'Shop', sso: 1, redirect_uris, grantTypes: 'password' };
  expect(changed).toMatchObject({ status: 200, body: expected });
  expect((await update(merchant, id, { sso: true })).body).toEqual(expected);
  expect((await update(merchant, id, { redirect_uris: [''] })).body.redirect_uris).toEqual([]);
});

test('200: deactivating an app ends its sessions and sockets, and nobody signs in by it', async () => {
  const merchant = await createMerchant(app);
  const { id, client_id } = await create(merchant);
  const consumer = await createConsumer(app, merchant);
  const byApp = { ...consumer, token: (await signIn(consumer, client_id)).body.access_token };
  const channel = await listen(app, byApp);
  expect((await update(merchant, id, { active: false })).body.active).toBe(0);
  expect(await channel.closed).toBe(4401);
  expect((await call(app, 'GET', '/accounts', undefined, byApp)).status).toBe(401);
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(200);
  expect(await signIn(consumer, client_id)).toMatchObject({ status: 401, body: { message: 'Invalid client' } });
  await update(merchant, id, { active: true });
  expect((await signIn(consumer, client_id)).status).toBe(200);
});

test('200: a grant type that was taken from the app renews no session', async () => {
  const merchant = await createMerchant(app);
  const { id, client_id } = await create(merchant);
  const consumer = await createConsumer(app, merchant);
  const { refresh_token } = (await signIn(consumer, client_id)).body;
  await update(merchant, id, { grant_types: ['password'] });
  const renewal = { grant_type: 'refresh_token', client_id, refresh_token };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(401);
});

test.each([
  'http://shop.example.org/back',
  'https://shop.example.org/back#token',
  'https://*.example.org/back',
  'https://user:secret@shop.example.org/',
  'javascript:alert(1)',
  'javascript://x/%0aalert(1)',
  'data:text/html,x',
  'intent://scan/',
  'myapp://login#token',
  '/back',
  `https://shop.example.org/${'x'.repeat(2048)}`,
])('422 invalid_input: redirect_uris %s', async (uri) => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  const { status, body } = await update(merchant, id, { redirect_uris: [uri] });
  expect(status).toBe(422);
  expect(Object.keys((body as unknown as { errors: object }).errors)).toEqual(['redirect_uris.0']);
  expect((await list(merchant)).collection[1]?.redirect_uris).toEqual([]);
});

test('200: addresses of apps, and origins, are kept as they are sent', async () => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  const fields = {
    redirect_uris: ['myapp://login', 'com.example.app:/login'],
    redirect_origins: ['https://shop.example.org', 'http://localhost:3000'],
  };
  expect(await update(merchant, id, fields)).toMatchObject({ status: 200, body: fields });
  expect((await update(merchant, id, { redirect_origins: [''] })).body).toMatchObject({
    ...fields,
    redirect_origins: [],
  });
});

test.each([
  'https://shop.example.org/',
  'https://shop.example.org/m',
  'http://shop.example.org',
  'https://*.org',
  'myapp://login',
])('422 invalid_input: redirect_origins %s', async (origin) => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  expect(await update(merchant, id, { redirect_origins: [origin] })).toMatchObject({
    status: 422,
    body: { errors: { 'redirect_origins.0': expect.any(String) as string } },
  });
});

test('422 invalid_input: 51 redirect_uris, an unknown grant type, a name of 51 characters', async () => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  const redirect_uris = Array.from({ length: 51 }, (_, index) => `https://shop.example.org/${index}`);
  for (const fields of [{ redirect_uris }, { grant_types: ['implicit'] }, { name: 'x'.repeat(51) }])
    expect((await update(merchant, id, fields)).status).toBe(422);
});

test('400 missing_parameter: sso', async () => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  const answer = await call(app, 'PUT', `/accounts/apps/${id}`, { name: 'Shop' }, merchant);
  expect(answer).toMatchObject({ status: 400, body: { errors: { sso: 'The sso must not be empty.' } } });
});

test('200: the audit log says who changed it', async () => {
  const merchant = await createMerchant(app);
  const { id } = await create(merchant);
  await update(merchant, id, { name: 'Shop' });
  expect(await oauthApps.auditOf(app, merchant)).toMatchObject([
    oauthApps.deed('app.update', merchant, id),
    oauthApps.deed('app.create', merchant, id),
  ]);
});

test('404 app_not_found: another merchant’s app, and no app; and nothing changes', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const paths = await oauthApps.pathsOfNone(app, other);
  const before = await oauthApps.storedApps(app);
  for (const path of paths)
    expect(await call(app, 'PUT', path, { sso: true, name: 'Mine' }, merchant)).toMatchObject({
      status: 404,
      body: { error: 'app_not_found', message: 'App not found' },
    });
  expect(await oauthApps.storedApps(app)).toEqual(before);
});

test('409 default_app: the default one stays active, and is changed otherwise', async () => {
  const merchant = await createMerchant(app);
  const id = (await list(merchant)).collection[0]?.id ?? 0;
  expect(await update(merchant, id, { name: 'Mine', sso: true, active: false })).toMatchObject({
    status: 409,
    body: { error: 'default_app', explain: 'The default app cannot be deactivated.' },
  });
  expect((await list(merchant)).collection[0]).toMatchObject({ name: 'Default', active: 1 });
  expect((await call(app, 'GET', '/accounts', undefined, merchant)).status).toBe(200);
  expect(await update(merchant, id, { name: 'Mine', active: true })).toMatchObject({
    status: 200,
    body: { name: 'Mine' },
  });
});
