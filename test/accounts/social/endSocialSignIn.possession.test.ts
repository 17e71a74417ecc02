import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { password, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { accountOf, createSite, socialBaseUrl, startSocialWorld, type SocialWorld } from '../../support/socialSignIn';
import { type TestApp } from '../../support/startApp';

/** A person who registered a foreign address loses all access when the owner proves the mailbox. */

let world: SocialWorld;
let app: TestApp;

beforeAll(async () => {
  world = await startSocialWorld();
  ({ app } = world);
});
afterAll(() => world.stop());

const address = () => `${randomUUID()}@example.org`;

const authenticate = (merchant: Person, username: string, secret: string) =>
  call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'password',
    username,
    password: secret,
  });

async function resetPassword(merchant: Person, email: string, fields: Record<string, string>) {
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email });
  const token = tokenIn(await receives(app, merchant, email, 'password_reset'));
  return call(app, 'PUT', `/accounts/forgot-password/${token}`, fields);
}

const activationOf = async (merchant: Person, email: string) =>
  tokenIn(await receives(app, merchant, email, 'activation'));

const chosen = 'the-owner-chose-this';
const newPassword = { password: chosen, password_confirmation: chosen };

test('303: a stranger’s identity of an unverified address ends with the owner’s new password', async () => {
  const merchant = await createSite(app);
  const email = address();
  const stranger = await world.signIn(merchant, `unverified:${email}`);
  expect((await resetPassword(merchant, email, newPassword)).status).toBe(200);
  const owner = await authenticate(merchant, email, chosen);
  expect(owner.status).toBe(200);
  expect((await accountOf(app, owner.body.access_token)).body).toMatchObject({
    email,
    completed: true,
    social_apps_metadata: [],
  });
  expect((await accountOf(app, stranger['token'])).status).toBe(401);
  expect(await world.signIn(merchant, `unverified:${email}`)).toEqual({ error: 'account_exists' });
});

test('303: a stranger’s identity, sessions and password end when the owner activates elsewhere', async () => {
  const merchant = await createSite(app);
  const email = address();
  const stranger = await world.signIn(merchant, `unverified:${email}`);
  const token = await activationOf(merchant, email);
  expect((await call(app, 'PUT', `/accounts/activate/${token}`)).status).toBe(201);
  expect((await accountOf(app, stranger['token'])).status).toBe(401);
  expect(await world.signIn(merchant, `unverified:${email}`)).toEqual({ error: 'account_exists' });
  await receives(app, merchant, email, 'password_reset');
});

test('303: a stranger’s identity and sessions end when the owner signs in by a mailed link', async () => {
  const merchant = await createSite(app);
  const email = address();
  const stranger = await world.signIn(merchant, `unverified:${email}`);
  await call(app, 'POST', '/accounts/sign-in-link', { merchant_uuid: merchant.uuid, email });
  const token = tokenIn(await receives(app, merchant, email, 'sign_in_link'));
  const entered = await call(app, 'PUT', `/accounts/sign-in-link/${token}`, { client_id: merchant.uuid });
  expect(entered.status).toBe(200);
  expect((await accountOf(app, stranger['token'])).status).toBe(401);
  expect(await world.signIn(merchant, `unverified:${email}`)).toEqual({ error: 'account_exists' });
});

test('303: in the browser of the sign-in, the owner keeps the identity and the sessions', async () => {
  const merchant = await createSite(app);
  const email = address();
  const browser = world.openBrowser();
  await world.signInAtProvider(browser, merchant, `unverified:${email}`);
  const path = `${socialBaseUrl}/accounts/activate/${await activationOf(merchant, email)}`;
  expect((await browser.visit(path)).text).not.toContain('type="password"');
  expect((await browser.submit(new URL(path), {})).text).toContain('Your account is active');
  const again = await world.signIn(merchant, `unverified:${email}`);
  expect((await accountOf(app, again['token'])).body).toMatchObject({ email, completed: true });
  expect((await resetPassword(merchant, email, newPassword)).status).toBe(200);
  const kept = await world.signIn(merchant, `unverified:${email}`);
  expect((await accountOf(app, kept['token'])).body).toMatchObject({ social_apps_metadata: [{ name: 'acme' }] });
});

test('303: an identity whose address the provider has verified outlives a new password', async () => {
  const merchant = await createSite(app);
  const email = address();
  await world.signIn(merchant, `verified:${email}`);
  expect((await resetPassword(merchant, email, newPassword)).status).toBe(200);
  const again = await world.signIn(merchant, `verified:${email}`);
  expect((await accountOf(app, again['token'])).status).toBe(200);
});

test('200: who has not chosen the password takes the account over on the page of the mail', async () => {
  const merchant = await createSite(app);
  const email = address();
  const stranger = { client_id: merchant.uuid, type: 'consumer', full_name: 'Mallory', username: email };
  const registered = await call<{ access_token: string }>(app, 'POST', '/accounts', {
    ...stranger,
    password,
    password_confirmation: password,
  });
  const browser = world.openBrowser();
  const path = `${socialBaseUrl}/accounts/activate/${await activationOf(merchant, email)}`;
  expect((await browser.visit(path)).text).toContain('type="password"');
  const taken = await browser.submit(new URL(path), { do: 'take' });
  const form = /action="(\/accounts\/forgot-password\/[\w-]+)"/.exec(taken.text)?.[1] ?? '';
  expect((await browser.submit(new URL(`${socialBaseUrl}${form}`), newPassword)).text).toContain('Password changed');
  expect((await accountOf(app, registered.body.access_token)).status).toBe(401);
  expect((await authenticate(merchant, email, password)).status).toBe(401);
  expect((await authenticate(merchant, email, chosen)).status).toBe(200);
});
