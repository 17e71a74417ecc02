import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type z } from 'zod';
import { type NewAppResponse } from '../../../src/accounts/oauthApps/schemas';
import { type AuthenticationResponse } from '../../../src/accounts/schemas';
import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

type Authentication = z.output<typeof AuthenticationResponse>;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let app: TestApp;
let other: { address: string; stop(): Promise<void> };

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

/** Another API on the same database, with modules, and so a memory, of its own. */
async function startReplica(): Promise<typeof other> {
  let replica: typeof other | undefined;
  await jest.isolateModulesAsync(async () => {
    const { createApp } = await import('../../../src/app.js');
    const { closeDatabase } = await import('../../../src/adapters/postgres/connection.js');
    const { closeTemporal } = await import('../../../src/adapters/temporal.js');
    const started = createApp();
    await started.start();
    started.server.listen(0, '127.0.0.1');
    await once(started.server, 'listening');
    replica = {
      address: `http://127.0.0.1:${(started.server.address() as AddressInfo).port}`,
      stop: async () => {
        await started.stop();
        await closeTemporal();
        await closeDatabase();
      },
    };
  });
  if (!replica) throw new Error('no second replica');
  return replica;
}

async function isSignedIn(person: Pick<Person, 'token'>): Promise<boolean> {
  return (await call(other, 'GET', '/accounts', undefined, person)).status === 200;
}

function signIn(replica: Pick<TestApp, 'address'>, person: Person, client_id = person.merchantUuid) {
  const fields = { grant_type: 'password', client_id, username: person.email, password };
  return call<Authentication>(replica, 'POST', '/accounts/authenticate', fields);
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
