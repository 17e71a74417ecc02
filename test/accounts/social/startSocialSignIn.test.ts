import { call } from '../../support/client';
import { type Person } from '../../support/factories';
import { appRedirect, createSite, follow, linkOf, stateOf } from '../../support/socialSignIn';
import { startApp, type TestApp } from '../../support/startApp';

const secrets = { client_id: 'paywall', client_secret: 'secret' };

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  // A redirect to Facebook needs no request to it. The other provider must be asked first, and does not answer.
  const acme = { name: 'acme', issuer: 'http://127.0.0.1:9', ...secrets };
  app = await startApp({ SOCIAL_PROVIDERS: JSON.stringify([{ name: 'facebook', ...secrets }, acme]) });
  merchant = await createSite(app);
});

afterAll(() => app.stop());

const start = (provider: string, state: unknown) =>
  call(app, 'GET', `/accounts/social/${provider}?state=${stateOf(state)}`);

test('303: to the provider with a challenge, whose secret the browser keeps', async () => {
  const answer = await follow(app, await linkOf(app, merchant, 'facebook'));
  expect(answer.status).toBe(303);
  const location = new URL(answer.headers.get('location') ?? '');
  expect(location.origin).toBe('https://www.facebook.com');
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    client_id: 'paywall',
    response_type: 'code',
    redirect_uri: 'http://paywall.test/accounts/social/facebook/callback',
    scope: 'email public_profile',
    code_challenge_method: 'S256',
  });
  const [cookie = ''] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^social_\w{16}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
  const secret = /=([^;]+)/.exec(cookie)?.[1] ?? '';
  expect(location.href).not.toContain(secret);
});

test('502 social_provider_unavailable: the provider does not answer', async () => {
  expect(await follow(app, await linkOf(app, merchant, 'acme'))).toMatchObject({
    status: 502,
    body: { error: 'social_provider_unavailable' },
  });
});

test('404 social_provider_not_found: a provider that is not configured', async () => {
  expect(await start('google', { client_id: merchant.uuid, redirect: appRedirect })).toMatchObject({
    status: 404,
    body: { error: 'social_provider_not_found' },
  });
});

test('401 invalid_client: a client that is not known, and the platform itself', async () => {
  for (const client_id of ['nobody', 'platform']) {
    const answer = await start('facebook', { client_id, redirect: appRedirect });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.headers.get('location')).toBeNull();
  }
});

test("422 invalid_input: a redirect that is none of the app's keeps the browser here, and nothing is stored", async () => {
  const redirect = 'https://evil.example.org/';
  const answer = await start('facebook', { client_id: merchant.uuid, redirect });
  expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  expect([answer.headers.get('location'), answer.headers.getSetCookie()]).toEqual([null, []]);
  const { rows } = await app.pool.query('SELECT 1 FROM social_sign_ins WHERE redirect = $1', [redirect]);
  expect(rows).toEqual([]);
});
