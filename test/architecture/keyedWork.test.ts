import '../support/generatedSettings';
import '../support/sharedKeys';
import { randomUUID } from 'node:crypto';
import { type Route } from '../../src/kit/routes';
import { type CommitProxy, startCommitProxy } from '../support/commitProxy';
import { type Example, examplesOf } from '../support/examples';
import { tablesChangedBy } from '../support/fingerprint';
import { faultOf, fromNewAddress, generatedRoutes, naturalRole, patiently, sendOnce } from '../support/generated';
import { type Replica, startReplica } from '../support/replica';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, type World } from '../support/world';
import { callerFor } from '../support/operators';

let app: TestApp;
let proxy: CommitProxy;
/** The replica whose connections break. */
let replica: Replica;
let world: World;

beforeAll(async () => {
  // Sequelize warns about each broken COMMIT.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  app = await startApp();
  world = await createWorld(app);
  const direct = process.env['DATABASE_URL'] ?? '';
  proxy = await startCommitProxy(direct);
  process.env['DATABASE_URL'] = proxy.url;
  replica = await startReplica();
  process.env['DATABASE_URL'] = direct;
});

afterAll(async () => {
  await replica.stop();
  await app.stop();
  await proxy.stop();
});

/** The provider's own name identifies them. */
const isNotification = ({ endpoint }: Route) => endpoint.rawBodyMax !== undefined && endpoint.auth.kind === 'anyone';
const posts = generatedRoutes.filter(([, route]) => route.endpoint.method === 'post' && !isNotification(route));
/** The run of the subscription decides them and knows their keys. The API writes nothing. */
const changes = posts.filter(([, { endpoint }]) => endpoint.pending !== undefined);
/** They only read, sign a token, or ask a run. */
const writesNothing = new Set([
  ...['enterProfile', 'testStore', 'getDiscount', 'submitCancelByToken', 'previewSwitch', 'submitPaymentConfirmation'],
  'previewMailText',
  ...['submitPaymentLink', 'submitKeepLink'],
  ...['connectPaymentProvider', 'testPaymentProvider', 'testCompanyProvider', 'submitDisputeEvidence'],
  ...['createDonationPayment', 'confirmDonationPayment'],
  ...changes.map(([name]) => name),
]);
const silent = new Set<string>();

describe('200: a change whose API died before it stored the answer happens once, and the same key returns it', () => {
  test.each(changes)('%s', async (name, route) => {
    for (const example of examplesOf(name)) {
      const send = await prepare(route, example);
      const first = await patiently(() => send(app));
      expect([first.status, first.body]).toEqual([200, expect.objectContaining({ code: 200 })]);
      const changed = await tablesChangedBy(app.pool, async () => {
        await app.pool.query('DELETE FROM idempotency_keys');
        const again = await patiently(() => send(replica));
        expect(again).toMatchObject({ status: 200, body: first.body });
        expect(again.headers.get('idempotency-replayed')).toBeNull();
      });
      expect(changed).toEqual([]);
    }
  });
});

describe('2xx: a connection that breaks before or after COMMIT leaves one effect, and the same key returns it', () => {
  test.each(posts)('%s', async (name, route) => {
    for (const example of examplesOf(name)) {
      const send = await prepare(route, example);
      const cuts = proxy.cuts();
      proxy.cutAt('before');
      const undone = await send(replica);
      const writes = proxy.cuts() > cuts;
      if (writes) expect(undone.status).toBe(503);
      else silent.add(name);
      proxy.cutAt('after');
      const first = await patiently(() => send(replica));
      proxy.cutAt(undefined);
      expect(faultOf(route, first)).toBeUndefined();
      expect(first.status).toBe(example.answers ?? route.endpoint.status);
      expect(proxy.cuts()).toBe(cuts + (writes ? 2 : 0));

      const changed = await tablesChangedBy(app.pool, async () => {
        for (const ago of ['0 seconds', '5 seconds', '3 minutes']) {
          await app.pool.query(`UPDATE idempotency_keys SET created_at = now() - $1::interval`, [ago]);
          for (const again of await Promise.all([send(app), send(replica)])) {
            expect(again).toMatchObject({ status: first.status, body: first.body });
            expect(again.headers.get('idempotency-replayed')).toBe('true');
          }
        }
      });
      expect(changed).toEqual([]);
    }
  });
});

test('2xx: a request with a key writes everything in the transaction of its key', () => {
  expect(silent).toEqual(writesNothing);
});

/** Sends the same request with the same key, to any replica. */
async function prepare(route: Route, example: Example) {
  const caller = await callerFor(naturalRole(route), world, example);
  const request = await example.request(world, caller);
  const headers = { ...fromNewAddress(), ...request.headers, 'Idempotency-Key': randomUUID() };
  return (to: Pick<TestApp, 'address'>) => sendOnce(to, route, { ...request, headers }, caller.token);
}
