import { call } from '../support/client';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { type EventMessage } from '../../src/notifications/events';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

beforeEach(async () => {
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

const list = (person: Person, query = '') =>
  call<{ collection: EventMessage[] }>(app, 'GET', `/notifications/history${query}`, undefined, person);

const itemsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
  body.collection.map(({ resource }) => resource['item_id']);

test('200: an event is the message that the channel sends', async () => {
  await publishEvents(consumer, merchant.id, [501]);
  const { status, body } = await list(consumer);
  expect(status).toBe(200);
  expect(body).toEqual({
    collection: [
      {
        id: 1,
        type: 'access.revoked',
        timestamp: expect.any(Number) as number,
        merchant_uuid: merchant.uuid,
        account_uuid: consumer.uuid,
        resource: { item_id: 501 },
      },
    ],
  });
});

test('200: a consumer sees its own events, its merchant all, another merchant none', async () => {
  const neighbour = await createConsumer(app, merchant);
  const other = await createMerchant(app);
  await publishEvents(consumer, merchant.id, [1, 2]);
  await publishEvents(neighbour, merchant.id, [3]);
  await publishEvents(consumer, merchant.id, [4]);
  expect(itemsOf(await list(consumer))).toEqual([1, 2, 4]);
  expect(itemsOf(await list(neighbour))).toEqual([3]);
  expect(itemsOf(await list(merchant))).toEqual([1, 2, 3, 4]);
  expect(itemsOf(await list(other))).toEqual([]);
  expect(itemsOf(await list(consumer, `?account_id=${neighbour.id}&merchant_uuid=${other.uuid}`))).toEqual([1, 2, 4]);
});

test('200: after a place and up to a limit, a hundred without one', async () => {
  await publishEvents(consumer, merchant.id, upTo(120));
  expect(itemsOf(await list(consumer, '?after=117'))).toEqual([118, 119, 120]);
  expect(itemsOf(await list(consumer, '?after=10&limit=2'))).toEqual([11, 12]);
  expect(itemsOf(await list(consumer, '?after=120'))).toEqual([]);
  expect(itemsOf(await list(consumer, '?after=999999'))).toEqual([]);
  expect(itemsOf(await list(consumer))).toEqual(upTo(100));
  expect(itemsOf(await list(consumer, '?limit=500'))).toEqual(upTo(120));
});

test('200: of two transactions that overlap neither is lost: the one that publishes later commits later', async () => {
  const order: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let published = (): void => undefined;
  const firstIsPublished = new Promise<void>((resolve) => (published = resolve));
  const first = publishEvents(consumer, merchant.id, [1], () => {
    published();
    return held;
  }).then(() => order.push('first'));
  await firstIsPublished;
  const second = publishEvents(consumer, merchant.id, [2]).then(() => order.push('second'));
  await app.pool.query('SELECT pg_sleep(0.1)');
  expect(itemsOf(await list(merchant))).toEqual([]);
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  const all = (await list(merchant)).body.collection;
  expect(all.map(({ id, resource }) => [id, resource['item_id']])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('200: a reader that asks for what comes after its last event misses none of twenty writers', async () => {
  const writers = upTo(20).map((writer) => publishEvents(consumer, merchant.id, [writer, writer + 100]));
  let isOver = false;
  const written = Promise.all(writers).then(() => (isOver = true));
  const read: number[] = [];
  for (let last = false; !last;) {
    last = isOver;
    const { body } = await list(merchant, `?after=${read.at(-1) ?? 0}`);
    read.push(...body.collection.map(({ id }) => id));
  }
  await written;
  expect(read).toEqual(upTo(40));
});

test('200: a transaction that fails leaves no event and no hole', async () => {
  await publishEvents(consumer, merchant.id, [1]);
  const failed = publishEvents(consumer, merchant.id, [2], () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  await publishEvents(consumer, merchant.id, [3]);
  expect((await list(consumer)).body.collection.map(({ id, resource }) => [id, resource['item_id']])).toEqual([
    [1, 1],
    [2, 3],
  ]);
});

test('401 invalid_auth_token: nobody', async () => {
  expect(await list({ ...consumer, token: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});

test.each(['after=-1', 'after=x', 'after=1.5', 'limit=0', 'limit=501', 'limit=all', 'after[]=1&after[]=2'])(
  '422 invalid_input: ?%s',
  async (query) => expect((await list(consumer, `?${query}`)).status).toBe(422),
);
