import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ApplicationFailure, defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { encodeErrorToFailure, loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { Worker } from '@temporalio/worker';
import type * as Codec from '../../src/adapters/payloadCodec';
import type * as Keys from '../../src/adapters/payloadKeys';
import { listHistories, readHistory } from '../replay/histories';
import { cards, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { isErased, isForgotten, requestErasure } from '../support/privacy';
import { startProxy, type Proxy } from '../support/proxy';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';

let app: TestApp;
let proxy: Proxy;
let temporal: TemporalClient;
let codec: typeof Codec;
let keys: typeof Keys;

/** The product reaches the database through a proxy, so that it can be taken away. */
beforeAll(async () => {
  proxy = await startProxy(process.env['DATABASE_URL'] ?? '');
  app = await startApp({ DATABASE_URL: proxy.url });
  await app.startWorker();
  temporal = await connectTemporal();
  codec = await import('../../src/adapters/payloadCodec.js');
  keys = await import('../../src/adapters/payloadKeys.js');
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
  await proxy.stop();
});

const workingCodec = () => codec.workerDataConverter.payloadCodecs?.[0] as PayloadCodec;
const runOf = (id: string) => ({ type: 'workflow', namespace: 'default', workflowId: `subscription-${id}` }) as const;
const payload = (value: unknown) => defaultPayloadConverter.toPayload<unknown>(value);
const valueOf = (sealed: Payload | undefined): unknown => defaultPayloadConverter.fromPayload(sealed as Payload);
const keyIdOf = (sealed: Payload | undefined) => Buffer.from(sealed?.metadata?.['encryption-key-id'] ?? []).toString();

async function subscribed(shop: Shop, card: string = cards.success): Promise<string> {
  const { body } = await subscribe(app, shop, card);
  await reaches(app, shop.consumer, body.subscription_id, card === cards.success ? 'active' : 'incomplete_expired');
  return body.subscription_id;
}

async function destroyKey(accountId: number): Promise<void> {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  await transaction((inTransaction) => keys.destroyPayloadKey(inTransaction, accountId));
}

/** A running worker erases the account and destroys the key of its workflows. */
async function eraseWhole(shop: Shop): Promise<void> {
  expect((await requestErasure(app, shop.consumer)).status).toBe(202);
  await isErased(app, shop.consumer.id);
  await isForgotten(app, shop.consumer.id);
}

async function keyRows(shop: Shop) {
  const text = 'SELECT id FROM payload_keys WHERE account_id = $1';
  return (await app.pool.query<{ id: string }>(text, [shop.consumer.id])).rows;
}

async function rowIdOf(token: string): Promise<number | undefined> {
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  return (await app.pool.query<{ id: number }>(text, [token])).rows[0]?.id;
}

const taskQueue = async () => (await import('../../src/config.js')).config.TEMPORAL_TASK_QUEUE;

/** Every payload of a history with its path. Search attributes contain no secrets and stay readable. */
function payloadsOf(history: string): { path: string; encoding: string; keyId: string; data: string }[] {
  const found: ReturnType<typeof payloadsOf> = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { metadata, data } = value as { metadata?: Record<string, string>; data?: string };
    const decoded = (text = '') => Buffer.from(text, 'base64').toString('utf8');
    if (metadata?.['encoding'] !== undefined)
      found.push({
        path,
        encoding: decoded(metadata['encoding']),
        keyId: decoded(metadata['encryption-key-id']),
        data: decoded(data),
      });
    for (const [name, inner] of Object.entries(value)) visit(inner, `${path}.${name}`);
  };
  visit(JSON.parse(history), '');
  return found.filter(({ path }) => !/searchAttributes/i.test(path));
}

test('a history is stored sealed with its account’s key, and opened by whoever has the key', async () => {
  const shop = await createShop(app);
  const id = await subscribed(shop, cards.declined);
  const stored = await temporal.sealedHistory(id);
  const sealed = payloadsOf(stored).filter(({ path }) => !/markerRecordedEventAttributes\.details\.data/.test(path));
  expect(sealed.length).toBeGreaterThan(5);
  expect(sealed.filter(({ encoding }) => encoding !== 'binary/encrypted')).toEqual([]);
  const [key] = await keyRows(shop);
  expect(new Set(sealed.map(({ keyId }) => keyId))).toEqual(new Set([key?.id]));
  const text = `${stored}${payloadsOf(stored)
    .map(({ data }) => data)
    .join('\n')}`;
  for (const secret of ['"subscriptionId"', 'Your card was declined.', 'requestId":"', '€9.99'])
    expect(text).not.toContain(secret);
  const opened = payloadsOf(await temporal.history(id))
    .map(({ data }) => data)
    .join('\n');
  for (const secret of ['"subscriptionId"', 'Your card was declined.', '€9.99']) expect(opened).toContain(secret);
});

test('each account has a key of its own, one however many runs begin at once', async () => {
  const [one, other] = [await createShop(app), await createShop(app)];
  const [{ body }, { body: second }] = [await subscribe(app, one), await subscribe(app, other)];
  const found = await Promise.all(
    Array.from({ length: 20 }, () => keys.keyOfRun(`subscription-${body.subscription_id}`)),
  );
  expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  expect((await keys.keyOfRun(`subscription-${second.subscription_id}`)).id).not.toBe(found[0]?.id);
  expect(await keyRows(one)).toHaveLength(1);
});

test('what belongs to no account is sealed with the installation’s key', async () => {
  for (const context of [undefined, { ...runOf('x'), workflowId: 'nothing-of-ours' }, runOf('no-such-row')]) {
    const [sealed] = await workingCodec().encode([payload({ a: 1 })], context);
    expect(keyIdOf(sealed)).toBe('installation');
    expect(valueOf((await workingCodec().decode([sealed as Payload], context))[0])).toEqual({ a: 1 });
  }
});

test('an account that is not erased keeps its key', async () => {
  const shop = await createShop(app);
  await subscribed(shop);
  await destroyKey(shop.consumer.id);
  expect(await keyRows(shop)).toHaveLength(1);
});

describe('when an account is erased, and its key destroyed', () => {
  let shop: Shop;
  let id: string;
  let before: Payload;

  beforeAll(async () => {
    shop = await createShop(app);
    id = await subscribed(shop, cards.declined);
    [before] = (await workingCodec().encode([payload('before')], runOf(id))) as [Payload];
    await eraseWhole(shop);
    await destroyKey(shop.consumer.id);
  });

  test('its histories say so where they were sealed, and can still be listed and described', async () => {
    const opened = payloadsOf(await temporal.history(id))
      .map(({ data }) => data)
      .join('\n');
    expect(opened).toContain('[erased]');
    for (const secret of ['subscriptionId', 'declined.', '€9.99']) expect(opened).not.toContain(secret);
    const handle = temporal.client.workflow.getHandle(`subscription-${id}`);
    const described = await handle.describe();
    expect(described.status.name).toBe('COMPLETED');
    expect(described.memo).toEqual({ requestId: '[erased]' });
    expect(await described.staticSummary()).toBe('[erased]');
    expect(await handle.result()).toBe('[erased]');
    const listed: string[] = [];
    const query = `WorkflowId = 'subscription-${id}'`;
    for await (const { workflowId } of temporal.client.workflow.list({ query })) listed.push(workflowId);
    expect(listed).toEqual([`subscription-${id}`]);
  });

  test('nothing of it is left in the database, and nobody makes another', async () => {
    const [late] = await workingCodec().encode([payload('late')], runOf(id));
    expect(await keyRows(shop)).toEqual([]);
    const text = 'INSERT INTO payload_keys (merchant_id, account_id, wrapped_key) VALUES ($1, $2, $3)';
    const values = [shop.merchant.id, shop.consumer.id, Buffer.from('key')];
    await expect(app.pool.query(text, values)).rejects.toMatchObject({ code: 'PW404' });
    expect(keyIdOf(late)).toBe('installation');
  });

  test('a worker takes no erased payload for an input', async () => {
    await expect(workingCodec().decode([before], runOf(id))).rejects.toThrow('destroyed');
  });

  test('a run that is begun for it later can read what it is told, also where nobody knew its key', async () => {
    const result = () => temporal.client.workflow.getHandle(`subscription-${id}`).result();
    expect(await result()).toBe('[erased]');
    keys.forgetAllPayloadKeys();
    await temporal.client.workflow.start('subscription', {
      workflowId: `subscription-${id}`,
      taskQueue: await taskQueue(),
      args: [{ subscriptionId: await rowIdOf(id) }],
    });
    expect(await result()).toEqual({ state: 'incomplete_expired' });
  });
});

describe('what cannot be read', () => {
  test('a changed byte and another installation’s payload are told of, and no worker goes on with them', async () => {
    const [sealed] = await workingCodec().encode([payload('text')]);
    const changed = { ...sealed, data: Buffer.from(sealed?.data ?? []) };
    changed.data.writeUInt8(changed.data.readUInt8(20) ^ 1, 20);
    expect(valueOf((await codec.readingCodec.decode([changed]))[0])).toBe('[unreadable]');
    await expect(workingCodec().decode([changed])).rejects.toThrow('sealed with another key');
  });

  test('a payload that was never sealed is read as it is', async () => {
    const [read] = await workingCodec().decode([payload({ old: true })], runOf('x'));
    expect(valueOf(read)).toEqual({ old: true });
  });

  test('errors are sealed with their texts and stacks', async () => {
    const converter = loadDataConverter(codec.workerDataConverter);
    const secret = ApplicationFailure.create({
      message: 'of ana@example.org',
      cause: new Error('also ana@example.org'),
    });
    const failure = await encodeErrorToFailure(converter, secret, runOf('x'));
    expect(failure.message).toBe('Encoded failure');
    expect(JSON.stringify(failure)).not.toMatch(/ana|example|payloadCodec\.test/);
  });
});

describe('without its database', () => {
  afterEach(() => proxy.restore());

  test('a worker waits for a key, and reads on when the database is back', async () => {
    const shop = await createShop(app);
    const id = await subscribed(shop);
    const [sealed] = await workingCodec().encode([payload('text')], runOf(id));
    keys.forgetAllPayloadKeys();
    proxy.cut();
    const attempts = proxy.attempts();
    const reading = workingCodec().decode([sealed as Payload], runOf(id));
    while (proxy.attempts() < attempts + 2) await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.restore();
    expect(valueOf((await reading)[0])).toBe('text');
  });

  test('who starts a workflow is told as if Temporal were away', async () => {
    const shop = await createShop(app);
    const [sealed] = await codec.readingCodec.encode([payload('text')], runOf(await subscribed(shop)));
    keys.forgetAllPayloadKeys();
    proxy.cut();
    await expect(codec.readingCodec.decode([sealed as Payload])).rejects.toMatchObject({ code: 14 });
  });

  test('a key that is known goes on being used', async () => {
    const shop = await createShop(app);
    const id = await subscribed(shop);
    await keys.keyOfRun(`subscription-${id}`);
    proxy.cut();
    const [sealed] = await workingCodec().encode([payload('text')], runOf(id));
    expect(valueOf((await workingCodec().decode([sealed as Payload]))[0])).toBe('text');
  });
});

describe('replay', () => {
  const replay = (history: string) =>
    Worker.runReplayHistory(
      {
        workflowBundle: { codePath: process.env['TEST_WORKFLOW_BUNDLE'] ?? '' },
        dataConverter: codec.workerDataConverter,
      },
      JSON.parse(history),
    );

  test('a sealed history is replayed with the codec', async () => {
    const id = await subscribed(await createShop(app));
    await expect(replay(await temporal.sealedHistory(id))).resolves.toBeUndefined();
  });

  test('a history that was recorded without an encryption key is replayed with the codec', async () => {
    for (const name of listHistories()) await expect(replay(readHistory(name))).resolves.toBeUndefined();
  });
});

test('without an ENCRYPTION_KEY that others share, payloads stay plain', async () => {
  const given = process.env['ENCRYPTION_KEY'];
  delete process.env['ENCRYPTION_KEY'];
  let plainCodec: typeof Codec | undefined;
  jest.isolateModules(() => {
    plainCodec = jest.requireActual<typeof Codec>(join(__dirname, '../../src/adapters/payloadCodec'));
  });
  process.env['ENCRYPTION_KEY'] = given;
  const sent = [payload(randomBytes(8).toString('hex'))];
  expect(await plainCodec?.readingCodec.encode(sent)).toEqual(sent);
});
