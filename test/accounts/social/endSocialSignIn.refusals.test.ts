import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { changeAtOnce } from '../../support/emailChanges';
import { createConsumer, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { switchFactorOn } from '../../support/secondFactors';
import {
  accountOf,
  appRedirect,
  createSite,
  follow,
  linkOf,
  membersOf,
  socialBaseUrl,
  startSocialWorld,
  type SocialWorld,
} from '../../support/socialSignIn';
import { type TestApp } from '../../support/startApp';

let world: SocialWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startSocialWorld();
  ({ app } = world);
});

afterAll(() => world.stop());

const address = () => `${randomUUID()}@example.org`;

test('303: an address that the provider has not verified links to no account: account_exists', async () => {
  const merchant = await createSite(app);
  const consumer = await createConsumer(app, merchant);
  expect(await world.signIn(merchant, `unverified:${consumer.email}`)).toEqual({ error: 'account_exists' });
  const { rows } = await app.pool.query('SELECT 1 FROM social_identities WHERE merchant_id = $1', [merchant.id]);
  expect(rows).toEqual([]);
});

test('303: an address that a customer can still take back, also a verified one: account_exists', async () => {
  const merchant = await createSite(app);
  const consumer = await createConsumer(app, merchant);
  await changeAtOnce(app, consumer);
  for (const kind of ['verified', 'unverified'])
    expect(await world.signIn(merchant, `${kind}:${consumer.email}`)).toEqual({ error: 'account_exists' });
  const { rows } = await app.pool.query('SELECT 1 FROM social_identities WHERE merchant_id = $1', [merchant.id]);
  expect(rows).toEqual([]);
  await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [consumer.id]);
  const entered = await world.signIn(merchant, `verified:${consumer.email}`);
  const { body } = await accountOf(app, entered['token']);
  expect(body.id).not.toBe(consumer.id);
});

test('303: an account with a second factor signs in with its password and a code: second_factor_required', async () => {
  const merchant = await createSite(app);
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  await switchFactorOn(app, consumer);
  expect(await world.signIn(merchant, `verified:${consumer.email}`)).toEqual({ error: 'second_factor_required' });
});

test('303: a provider that tells no address registers nobody: email_required', async () => {
  expect(await world.signIn(await createSite(app), `nameless:${randomUUID()}`)).toEqual({ error: 'email_required' });
});

test('303: the person refuses, or the account is inactive: access_denied', async () => {
  const merchant = await createSite(app);
  const browser = world.openBrowser();
  const asked = await browser.visit(await linkOf(app, merchant, 'acme'));
  const refused = await browser.visit(`${asked.url.href}/abort`);
  expect(membersOf(refused.url)).toEqual({ error: 'access_denied' });

  const login = `verified:${address()}`;
  const { body } = await accountOf(app, (await world.signIn(merchant, login))['token']);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [body.id]);
  expect(await world.signIn(merchant, login)).toEqual({ error: 'access_denied' });
});

test('303: a code that the provider did not give signs nobody in: server_error', async () => {
  const answer = await comeBack(await startSignIn(await createSite(app)));
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(`${appRedirect}#error=server_error`);
});

test('404 social_provider_not_found: a provider that is not configured', async () => {
  expect(await call(app, 'GET', '/accounts/social/other/callback?state=1')).toMatchObject({
    status: 404,
    body: { error: 'social_provider_not_found' },
  });
});

test('401 invalid_client: the app was deactivated meanwhile', async () => {
  const merchant = await createSite(app);
  const started = await startSignIn(merchant);
  await app.pool.query('UPDATE oauth_apps SET is_active = false WHERE client_id = $1', [merchant.uuid]);
  expect(await comeBack(started)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
});

test('422 invalid_input: a state serves once, and in no other browser, which cannot use it up either', async () => {
  const merchant = await createSite(app);
  const browser = world.openBrowser();
  await world.signInAtProvider(browser, merchant, `verified:${address()}`);
  const used = browser.visited.find((url) => url.includes('/callback?')) ?? '';
  expect(new URL(used).searchParams.get('code')).not.toBeNull();
  expect(await browser.visit(used)).toMatchObject({ status: 422 });

  const { state } = await startSignIn(merchant);
  const stranger = await world
    .openBrowser()
    .visit(`${socialBaseUrl}/accounts/social/acme/callback?state=${state}&code=stolen`);
  expect(stranger.status).toBe(422);
  expect((JSON.parse(stranger.text) as ErrorBody).errors?.['state']).toContain('not known in this browser');
  const { rows } = await app.pool.query('SELECT 1 FROM social_sign_ins WHERE redirect = $1', [appRedirect]);
  expect(rows).not.toEqual([]);
});

test('422 invalid_input: of many answers at once to one state, one counts', async () => {
  const started = await startSignIn(await createSite(app));
  const answers = await Promise.all([1, 2, 3, 4].map(() => comeBack(started)));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
});

test('422 invalid_input: ten minutes are over, or the app gave its address up meanwhile', async () => {
  const late = await startSignIn(await createSite(app));
  await app.pool.query(`UPDATE social_sign_ins SET expires_at = now() - interval '1 s'`);
  expect(await comeBack(late)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });

  const merchant = await createSite(app);
  const withdrawn = await startSignIn(merchant);
  await app.pool.query(`UPDATE oauth_apps SET redirect_uris = '{}' WHERE client_id = $1`, [merchant.uuid]);
  expect(await comeBack(withdrawn)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('400 missing_parameter: an answer without a state', async () => {
  expect(await call(app, 'GET', '/accounts/social/acme/callback?code=1')).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { state: 'The state must not be empty.' } },
  });
});

async function startSignIn(merchant: Person) {
  const { headers } = await follow(app, await linkOf(app, merchant, 'acme'));
  const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? '';
  return { state, cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

function comeBack({ state, cookie }: { state: string; cookie: string }) {
  const query = new URLSearchParams({ state, code: 'invented', iss: world.provider.issuer });
  const path = `/accounts/social/acme/callback?${query.toString()}`;
  return call(app, 'GET', path, undefined, { headers: { Cookie: cookie } });
}
