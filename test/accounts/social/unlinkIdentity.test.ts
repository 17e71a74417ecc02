import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { accountOf, createSite, startSocialWorld, type SocialWorld } from '../../support/socialSignIn';

let world: SocialWorld;

beforeAll(async () => {
  world = await startSocialWorld();
});
afterAll(() => world.stop());

const signIn = async (login: string) => {
  const merchant = await createSite(world.app);
  const members = await world.signIn(merchant, login);
  return { merchant, caller: { token: members['token'] ?? '' } };
};
const email = () => `${randomUUID()}@example.org`;

const unlink = (caller: { token: string }, provider: string) =>
  call(world.app, 'DELETE', `/accounts/identities/${provider}`, undefined, caller);

test('200: the account no longer signs in with the service, and its other sessions end', async () => {
  const login = `unverified:${email()}`;
  const { merchant, caller } = await signIn(login);
  const other = await world.signIn(merchant, login);
  expect((await unlink(caller, 'acme')).status).toBe(200);
  expect((await accountOf(world.app, caller.token)).body.social_apps_metadata).toEqual([]);
  expect((await accountOf(world.app, other['token'])).status).toBe(401);
  expect(await world.signIn(merchant, login)).toEqual({ error: 'account_exists' });
});

test('404 identity_not_found: a service with which the account does not sign in', async () => {
  const { caller } = await signIn(`verified:${email()}`);
  expect(await unlink(caller, 'facebook')).toMatchObject({ status: 404, body: { error: 'identity_not_found' } });
});
