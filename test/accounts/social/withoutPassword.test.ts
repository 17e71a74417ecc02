import { randomUUID } from 'node:crypto';
import { call, type Method } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { accountOf, createSite, startSocialWorld, type SocialWorld } from '../../support/socialSignIn';

/** An account without a password confirms by a new sign-in where other accounts enter their password. */

let world: SocialWorld;

beforeAll(async () => {
  world = await startSocialWorld();
});
afterAll(() => world.stop());

interface Customer {
  id: number;
  token: string;
}

async function signInAtAcme(): Promise<Customer> {
  const members = await world.signIn(await createSite(world.app), `verified:${randomUUID()}@example.org`);
  const token = members['token'] ?? '';
  return { id: (await accountOf(world.app, token)).body.id, token };
}

const guarded: [name: string, method: Method, path: string, body: Record<string, unknown>, status: number][] = [
  ['a second factor', 'POST', '/accounts/second-factors', {}, 201],
  ['a passkey', 'POST', '/accounts/passkeys/options', {}, 200],
  ['another address', 'POST', '/v2/accounts/email', { email: 'somebody-else@example.org' }, 200],
  ['the erasure', 'DELETE', '/accounts/erase', {}, 202],
];

const age = ({ id }: Pick<Customer, 'id'>) =>
  world.app.pool.query(`UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE account_id = $1`, [id]);

test.each(guarded)('2xx: %s, soon after a sign-in at another service', async (_name, method, path, body, status) => {
  expect((await call(world.app, method, path, body, await signInAtAcme())).status).toBe(status);
});

test.each(guarded)('403 recent_password_required: %s, in an old session', async (_name, method, path, body) => {
  const customer = await signInAtAcme();
  await age(customer);
  const refused = { status: 403, body: { error: 'recent_password_required' } };
  expect(await call(world.app, method, path, body, customer)).toMatchObject(refused);
});

test.each(guarded)('422 wrong_password: %s, with any password', async (_name, method, path, body) => {
  const customer = await signInAtAcme();
  await age(customer);
  const sent = { ...body, password: 'any-password-at-all' };
  expect(await call(world.app, method, path, sent, customer)).toMatchObject({ status: 422 });
});

test.each(guarded)('400 missing_parameter: %s, of an account with a password', async (_name, method, path, body) => {
  const consumer = await createConsumer(world.app, await createMerchant(world.app));
  await age(consumer);
  const refused = { status: 400, body: { error: 'missing_parameter' } };
  expect(await call(world.app, method, path, body, consumer)).toMatchObject(refused);
});

test('403 recent_password_required: a session that an app has opened, which is no sign-in of a person', async () => {
  const customer = await signInAtAcme();
  await world.app.pool.query(`UPDATE sessions SET grant_type = 'client_credentials' WHERE account_id = $1`, [
    customer.id,
  ]);
  for (const [, method, path, body] of guarded)
    expect([path, await call(world.app, method, path, body, customer)]).toMatchObject([path, { status: 403 }]);
});
