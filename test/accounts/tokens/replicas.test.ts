import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { type NewAppResponse } from '../../../src/accounts/apps.schemas';
import { type AuthenticationResponse } from '../../../src/accounts/accounts.schemas';
import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { requestErasure } from '../../support/privacy';
import { type Replica, startReplica } from '../../support/replica';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

type Authentication = z.output<typeof AuthenticationResponse>;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let app: TestApp;
let other: Replica;

beforeAll(async () => {
  app = await startApp({
    JWT_KEYS: JSON.stringify([{ kid: 'shared', ...privateKey.export({ format: 'jwk' }) }]),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  other = await startReplica();
});

afterAll(async () => {
  await other.stop();
  await app.stop();
});

async function isSignedIn(person: Pick<Person, 'token'>): Promise<boolean> {
  return (await call(other, 'GET', '/accounts', undefined, person)).status === 200;
}

function signIn(replica: Pick<TestApp, 'address'>, person: Person, client_id = person.merchantUuid) {
  const fields = { grant_type: 'password', client_id, username: person.email, password };
  return call<Authentication>(replica, 'POST', '/accounts/authenticate', fields);
}

/** A token as a mail to the account contains it. */
async function mailedToken({ id }: Person): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await app.pool.query(
    `INSERT INTO mailed_tokens SELECT merchant_id, id, 'password_reset', $2, now() + interval '1 hour'
     FROM accounts WHERE id = $1`,
    [id, createHash('sha256').update(token).digest()],
  );
  return token;
}

type End = (consumer: Person, merchant: Person, appId: number) => Promise<unknown>;

test.each<[string, End]>([
  ['logout', (consumer) => call(app, 'GET', '/accounts/logout', undefined, consumer)],
  [
    'another session’s change of the password',
    async (consumer) => {
      const { access_token: token } = (await signIn(app, consumer)).body;
      const fields = {
        old_password: password,
        password: 'staple-of-batteries',
        password_confirmation: 'staple-of-batteries',
      };
      return call(app, 'POST', '/accounts/change-password', fields, { token });
    },
  ],
  [
    'deactivation of the app',
    (_consumer, merchant, id) => call(app, 'PUT', `/accounts/apps/${id}`, { sso: false, active: false }, merchant),
  ],
  [
    'deletion of the app',
    (_consumer, merchant, id) => call(app, 'DELETE', `/accounts/apps/${id}`, undefined, merchant),
  ],
  [
    'a reset of the password',
    async (consumer) => {
      const token = await mailedToken(consumer);
      const fields = { password: 'staple-of-batteries', password_confirmation: 'staple-of-batteries' };
      return call(app, 'PUT', `/accounts/forgot-password/${token}`, fields);
    },
  ],
  [
    'deactivation of the account',
    (consumer, merchant) => call(app, 'DELETE', '/accounts', { customerID: consumer.id }, merchant),
  ],
  [
    'a newer session beyond the limit',
    async (consumer, merchant) => {
      await call(app, 'PUT', '/accounts/settings', { session_limit: 1 }, merchant);
      return signIn(app, consumer);
    },
  ],
])(
  '401 invalid_auth_token: after %s on one replica, the other refuses the token and closes its sockets',
  async (_how, end) => {
    const merchant = await createMerchant(app);
    const made = await call<z.output<typeof NewAppResponse>>(
      app,
      'POST',
      '/accounts/apps',
      { name: 'Website' },
      merchant,
    );
    const registered = await createConsumer(app, merchant);
    const { body } = await signIn(other, registered, made.body.client_id);
    const consumer = { ...registered, token: body.access_token };
    const channel = await listen(other, consumer);
    expect(await isSignedIn(consumer)).toBe(true);
    expect(await end(consumer, merchant, made.body.id)).toMatchObject({ status: 200 });
    expect(await channel.closed).toBe(4401);
    await until(async () => !(await isSignedIn(consumer)));
  },
);

test('401 invalid_auth_token: after an erasure on one replica, the other refuses the token and closes its sockets', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const channel = await listen(other, consumer);
  expect(await isSignedIn(consumer)).toBe(true);
  expect((await requestErasure(app, consumer)).status).toBe(202);
  expect(await channel.closed).toBe(4401);
  await until(async () => !(await isSignedIn(consumer)));
});

test('401 invalid_auth_token: after the removal of a relation on one replica, the other refuses the follower’s token', async () => {
  const merchant = await createMerchant(app);
  const follower = await createFollower(app, merchant, ['accounts:read']);
  expect(await isSignedIn(follower)).toBe(true);
  const removal = await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: follower.id }, merchant);
  expect(removal.status).toBe(200);
  await until(async () => !(await isSignedIn(follower)));
});

test('429 too_many_requests: failures count together, whichever replica they came to', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const statuses: number[] = [];
  for (const replica of [app, other, app, other, app, other]) {
    const fields = { grant_type: 'password', client_id: consumer.merchantUuid, username: consumer.email };
    const wrong = { ...fields, password: 'wrong-battery-staple' };
    statuses.push((await call(replica, 'POST', '/accounts/authenticate', wrong)).status);
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  await app.pool.query(`UPDATE wrong_guesses SET blocked_until = blocked_until + interval '1 minute'`);
  const answers = await Promise.all([app, other].map((replica) => signIn(replica, consumer)));
  expect(answers.map(({ status }) => status)).toEqual([429, 429]);
});
