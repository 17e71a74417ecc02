import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { ageProof, switchFactorOn, verifyPassword } from '../../support/secondFactors';
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

async function createLinked(): Promise<Person> {
  const consumer = await createConsumer(world.app, await createMerchant(world.app));
  await world.app.pool.query(
    `INSERT INTO social_identities (merchant_id, account_id, provider, subject, is_proven)
     SELECT merchant_id, id, 'acme', 'ana', true FROM accounts WHERE id = $1`,
    [consumer.id],
  );
  return consumer;
}

const ageSession = ({ id }: Person, age: string) =>
  world.app.pool.query('UPDATE sessions SET created_at = now() - $2::interval WHERE account_id = $1', [id, age]);

test('403 recent_password_required: a session of long ago, of any client, until the password is entered', async () => {
  const consumer = await createLinked();
  await ageSession(consumer, '11 minutes');
  expect(await unlink(consumer, 'acme')).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
  expect((await verifyPassword(world.app, consumer)).status).toBe(200);
  expect((await unlink(consumer, 'acme')).status).toBe(200);
});

test('200: a session of nine minutes ago is not asked', async () => {
  const consumer = await createLinked();
  await ageSession(consumer, '9 minutes');
  expect((await unlink(consumer, 'acme')).status).toBe(200);
});

test('403 recent_factor_required: an account with a second factor, whose password is not enough', async () => {
  const consumer = await createLinked();
  await switchFactorOn(world.app, consumer);
  await ageProof(world.app, consumer, '11 minutes');
  expect((await verifyPassword(world.app, consumer)).status).toBe(200);
  expect(await unlink(consumer, 'acme')).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  await ageProof(world.app, consumer, '9 minutes');
  expect((await unlink(consumer, 'acme')).status).toBe(200);
});
