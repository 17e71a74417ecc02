import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { findFaults } from '../support/books';
import { type ChildProgram, startProgram } from '../support/childProcess';
import { call } from '../support/client';
import {
  createShop,
  purchase,
  reaches,
  type Shop,
  subscribe,
  type SubscriptionRow,
  type Submitted,
} from '../support/factories';
import { keyPair } from '../support/keys';
import { runScript } from '../support/scripts';
import { type ChildApi, prepareApi } from '../support/startApi';
import { until } from '../support/until';

/** The ENCRYPTION_KEY is replaced while processes run. Each opens what processes with the other key have sealed. */

const newKey = () => ({ ENCRYPTION_KEY: randomBytes(32).toString('base64') });
const [old, fresh] = [newKey(), newKey()];
/** The keys of all APIs. */
const JWT_KEYS = JSON.stringify([keyPair('first').jwk]);
let api: ChildApi;
const started: ChildProgram[] = [];

beforeAll(async () => {
  api = await prepareApi();
});

afterAll(async () => {
  await Promise.all(started.map((child) => child.kill()));
  await api.stop();
});

/** An API beside the first one. */
async function startAnother(settings: Record<string, string>): Promise<{ address: string }> {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  started.push(await startProgram('crashingApi', { ...settings, JWT_KEYS, PORT: String(port), METRICS_PORT: '0' }));
  await until(() =>
    fetch(`${address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { address };
}

const buy = (app: { address: string }, shop: Shop, key: string) =>
  call<Submitted>(app, 'POST', '/subscriptions', purchase(shop), {
    token: shop.consumer.token,
    headers: { 'Idempotency-Key': key },
  });

/** The address contains a keyed hash of the subscription. */
async function cancelAddress(shop: Shop, id: string): Promise<string> {
  const { body } = await call<SubscriptionRow>(api, 'GET', `/subscriptions/${id}`, undefined, shop.consumer);
  return new URL(body.unsubscribe_url).pathname;
}

const isCancelled = async (app: { address: string }, shop: Shop, id: string) =>
  (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body.cancel_at_period_end;

test('200: purchases, repeated requests and audit logs continue across the change of the key', async () => {
  const first = await api.start({ ...old, JWT_KEYS });
  const firstWorker = await api.startWorker(old);
  const shop = await createShop(api);
  const key = randomUUID();
  const bought = await buy(api, shop, key);
  expect(bought.status).toBe(202);
  const id = bought.body.subscription_id;
  await reaches(api, shop.consumer, id, 'active');
  const address = await cancelAddress(shop, id);

  const file = join(mkdtempSync(join(tmpdir(), 'paywall-keys-')), 'encryption-key');
  writeFileSync(file, fresh.ENCRYPTION_KEY);
  expect((await runScript('encryptionKey.js', ['add', file], old)).code).toBe(0);
  const second = await startAnother(fresh);
  await api.startWorker(fresh);
  await firstWorker.kill();

  const again = await buy(second, shop, key);
  expect([again.status, again.body]).toEqual([202, bought.body]);
  const others = await createShop(api);
  const { body } = await subscribe(api, others);
  await reaches(second, others.consumer, body.subscription_id, 'active');
  for (const token of [id, body.subscription_id]) expect(await findFaults(api.pool, token)).toEqual([]);
  expect((await call(second, 'GET', address, undefined, shop.consumer)).status).toBe(200);
  await until(() => isCancelled(second, shop, id));

  expect((await runScript('encryptionKey.js', ['finish'], fresh)).code).toBe(0);
  expect((await call(api, 'GET', '/accounts', undefined, shop.consumer)).status).toBe(200);
  expect((await runScript('verifyAudit.js', [], fresh)).said).toContain(' 0 broken');
  await first.kill();
  const refused = await startProgram('crashingApi', { ...old, PORT: String(await findFreePort()), METRICS_PORT: '0' });
  expect(await refused.ended).toBe('exit code 1');
  expect((await runScript('verifyAudit.js', [], old)).said).toContain('encrypted with another key');
  expect((await buy(await startAnother(fresh), shop, key)).body).toEqual(bought.body);
});
