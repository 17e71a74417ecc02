import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, password, type Person } from '../../support/factories';
import {
  accountOf,
  createSite,
  listLinks,
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

test('303: a newcomer is registered, and the app gets token, refresh_token and expires in the fragment', async () => {
  const merchant = await createSite(app);
  const email = address();
  const members = await world.signIn(merchant, `verified:${email}`);
  expect(Object.keys(members)).toEqual(['token', 'refresh_token', 'expires']);
  expect(Number(members['expires'])).toBeGreaterThan(Date.now() / 1000);
  const { status, body } = await accountOf(app, members['token']);
  expect(status).toBe(200);
  expect(body).toMatchObject({ email, full_name: 'Ana Petrova', merchant_uuid: merchant.uuid, roles: ['consumer'] });
  expect(body.completed).toBe(true);
  expect(body.social_apps_metadata).toEqual([{ name: 'acme' }]);

  const renewed = await call(app, 'POST', '/accounts/authenticate', {
    grant_type: 'refresh_token',
    refresh_token: members['refresh_token'],
    client_id: merchant.uuid,
  });
  expect(renewed.status).toBe(200);
});

test('303: who comes again is the same account; at another merchant it is another', async () => {
  const merchant = await createSite(app);
  const login = `verified:${address()}`;
  const first = await accountOf(app, (await world.signIn(merchant, login))['token']);
  const second = await accountOf(app, (await world.signIn(merchant, login))['token']);
  expect(second.body.id).toBe(first.body.id);
  const elsewhere = await accountOf(app, (await world.signIn(await createSite(app), login))['token']);
  expect(elsewhere.body.id).not.toBe(first.body.id);
});

test('303: two first sign-ins at once make one account', async () => {
  const merchant = await createSite(app);
  const login = `verified:${address()}`;
  const both = await Promise.all([world.signIn(merchant, login), world.signIn(merchant, login)]);
  const [one, other] = await Promise.all(both.map(({ token }) => accountOf(app, token)));
  expect(other?.body.id).toBe(one?.body.id);
});

test('303: an activated account with the same, verified address is linked and keeps its password', async () => {
  const merchant = await createSite(app);
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [consumer.id]);
  const members = await world.signIn(merchant, `verified:${consumer.email.toUpperCase()}`);
  expect((await accountOf(app, members['token'])).body.id).toBe(consumer.id);
  expect((await accountOf(app, consumer.token)).status).toBe(200);
  expect((await authenticate(merchant, consumer)).status).toBe(200);
});

test('303: an account that nobody has proved to be theirs passes to the owner of its address', async () => {
  const merchant = await createSite(app);
  const squatter = await createConsumer(app, merchant);
  await app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     VALUES ($1, $2, 'acme', 'squatter', false)`,
    [merchant.id, squatter.id],
  );
  const members = await world.signIn(merchant, `verified:${squatter.email}`);
  expect((await accountOf(app, members['token'])).body).toMatchObject({
    id: squatter.id,
    completed: true,
    social_apps_metadata: [{ name: 'acme' }],
  });
  expect((await accountOf(app, squatter.token)).status).toBe(401);
  expect((await authenticate(merchant, squatter)).status).toBe(401);
  const { rows } = await app.pool.query('SELECT subject FROM social_identities WHERE account_id = $1', [squatter.id]);
  expect(rows).toEqual([{ subject: `verified:${squatter.email}` }]);
});

test('303: an unverified address that is free registers an account that is not activated', async () => {
  const members = await world.signIn(await createSite(app), `unverified:${address()}`);
  expect((await accountOf(app, members['token'])).body.completed).toBe(false);
});

function authenticate(merchant: Person, { email }: Person) {
  const credentials = { client_id: merchant.uuid, grant_type: 'password', username: email, password };
  return call(app, 'POST', '/accounts/authenticate', credentials);
}

test('303: at our own page, the session that the browser had there ends; an app’s sign-in ends none', async () => {
  const merchant = await createSite(app);
  const login = `verified:${address()}`;
  const page = `${socialBaseUrl}/portal/${merchant.uuid}/sign-in`;
  const links = await listLinks(app, { client_id: merchant.uuid, redirect: page });
  const browser = world.openBrowser();
  const signInAtPage = async () => {
    const asked = await browser.visit(links.body.social_urls[0]?.['acme'] ?? '');
    const consent = await browser.submit(asked.url, { prompt: 'login', login, password: 'any' });
    return consent.url.origin === socialBaseUrl ? consent : browser.submit(consent.url, { prompt: 'consent' });
  };
  const openSessions = async () => {
    const text = `SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id
      WHERE a.merchant_uuid = $1 AND a.role = 'consumer' AND s.revoked_at IS NULL`;
    return (await app.pool.query<{ id: string }>(text, [merchant.uuid])).rows.map(({ id }) => id);
  };
  expect((await signInAtPage()).status).toBe(200);
  const [first] = await openSessions();
  await signInAtPage();
  const [second, ...none] = await openSessions();
  expect([typeof second, second === first, none]).toEqual(['string', false, []]);
  const { url } = await world.signInAtProvider(browser, merchant, login);
  expect(url.href).toContain('#token=');
  expect(await openSessions()).toHaveLength(2);
});
