import { call } from '../../support/client';
import { type Person } from '../../support/factories';
import { listApps, updateApp } from '../../support/oauthApps';
import { appRedirect, createSite, listLinks } from '../../support/socialSignIn';
import { startApp, type TestApp } from '../../support/startApp';

const secrets = { client_id: 'paywall', client_secret: 'secret' };

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  // No provider runs at these addresses, and the links do not need one.
  const acme = { name: 'acme', issuer: 'http://127.0.0.1:9', ...secrets };
  app = await startApp({ SOCIAL_PROVIDERS: JSON.stringify([{ name: 'facebook', ...secrets }, acme]) });
  merchant = await createSite(app);
});

afterAll(() => app.stop());

test('200: one link a configured provider, in the order of the settings', async () => {
  const { status, body } = await listLinks(app, { client_id: merchant.uuid, redirect: appRedirect });
  expect(status).toBe(200);
  expect(body.code).toBe(200);
  expect(body.social_urls.map((link) => Object.keys(link))).toEqual([['facebook'], ['acme']]);
  expect(body.social_urls[0]?.['facebook']).toMatch(/^http:\/\/paywall\.test\/accounts\/social\/facebook\?state=/);
});

test('200: the client may be named by `uuid`, in either alphabet of base64, signed in or not', async () => {
  const known = await listLinks(app, { uuid: merchant.uuid, redirect: appRedirect });
  const urlSafe = await listLinks(app, { client_id: merchant.uuid, redirect: appRedirect }, 'base64url');
  expect([known.status, urlSafe.status]).toEqual([200, 200]);
  expect(urlSafe.body).toEqual(known.body);
});

const followed = async (links: { social_urls: Record<string, string>[] }) => {
  const path = (links.social_urls[0]?.['facebook'] ?? '').replace('http://paywall.test', '');
  const { status, body } = await call<{ message: string }>(app, 'GET', path);
  return status === 303 ? status : [status, body.message];
};

test("200: for a redirect that is not, to the letter, one of the app's, with an explanation; its links are refused", async () => {
  const near = [appRedirect.replace('?', '/?'), appRedirect.replace(/\?.*/, ''), `${appRedirect}&next=1`];
  const explain = "The redirect must be one of the app's redirect_uris, or at one of its redirect_origins.";
  for (const redirect of [...near, 'https://evil.example.org/', 'myapp://login']) {
    const { status, body } = await listLinks(app, { client_id: merchant.uuid, redirect });
    expect({ status, body }).toMatchObject({ status: 200, body: { code: 200, explain } });
    expect(body.social_urls).toHaveLength(2);
    expect(await followed(body)).toEqual([422, `Invalid input: ${explain}`]);
  }
  const own = await listLinks(app, { client_id: merchant.uuid, redirect: appRedirect });
  expect(own.body).not.toHaveProperty('explain');
});

test('200: an address at a registered origin, and an address of an app', async () => {
  const other = await createSite(app);
  const { collection } = await listApps(app, other);
  const redirect_uris = ['myapp://login', 'com.example.app:/login'];
  const redirect_origins = ['https://shop.example.org', 'http://localhost:3000'];
  await updateApp(app, other, collection[0]?.id ?? 0, { redirect_uris, redirect_origins });
  const linksTo = (redirect: string) => listLinks(app, { client_id: other.uuid, redirect });
  for (const redirect of [
    ...redirect_uris,
    'https://shop.example.org',
    'https://shop.example.org/m/abc/title?t=1',
    'http://localhost:3000/deep',
  ]) {
    const { body } = await linksTo(redirect);
    expect(body).not.toHaveProperty('explain');
    expect(await followed(body)).toBe(303);
  }
  for (const redirect of [
    'https://shop.example.org.evil.example/',
    'https://shop.example.org@evil.example/',
    'https://user@shop.example.org/',
    'https://shop.example.org/#token=1',
    'https://shop.example.org:8443/',
    'http://shop.example.org/',
    'https://other.shop.example.org/',
    'myapp://login/further',
    'myapp:/login',
  ])
    expect((await linksTo(redirect)).body).toHaveProperty('explain');
});

test('422 invalid_input: a state that is no base64 of an object with a client and a redirect', async () => {
  for (const state of [{}, [], 'text', 7, { client_id: merchant.uuid }, { client_id: {}, redirect: appRedirect }])
    expect(await listLinks(app, state)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  for (const state of ['%7B%7D', 'bm8gSlNPTg==', '////'])
    expect(await call(app, 'GET', `/accounts/social?state=${state}`)).toMatchObject({ status: 422 });
});

test('401 invalid_client: a client that is not known, and the platform itself', async () => {
  for (const client_id of ['nobody', 'platform'])
    expect(await listLinks(app, { client_id, redirect: appRedirect })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
});

test('400 missing_parameter: no state', async () => {
  expect(await call(app, 'GET', '/accounts/social')).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter' },
  });
});
