import { startChannel } from '../support/channelAlone';
import { listen, type Listening } from '../support/client';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { openSocket } from '../support/socket';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

beforeEach(async () => {
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

const ids = ({ heard }: Pick<Listening, 'heard'>) => heard.map(({ id }) => id);

test('without a place only what is new is heard', async () => {
  await publishEvents(consumer, merchant.id, upTo(3));
  const channel = await listen(app, consumer);
  await publishEvents(consumer, merchant.id, [4]);
  await until(() => channel.heard.length > 0);
  expect(ids(channel)).toEqual([4]);
  await channel.close();
});

test('with a place, all after it in order, then what is new', async () => {
  await publishEvents(consumer, merchant.id, upTo(5));
  const channel = await listen(app, { ...consumer, lastEventId: 2 });
  await until(() => channel.heard.length === 3);
  await publishEvents(consumer, merchant.id, [6]);
  await until(() => channel.heard.length === 4);
  expect(ids(channel)).toEqual([3, 4, 5, 6]);
  await channel.close();
});

test('more than one reading of the table', async () => {
  for (const from of [1, 401, 801]) await publishEvents(consumer, merchant.id, upTo(400, from));
  const channel = await listen(app, { ...consumer, lastEventId: 0 });
  await until(() => channel.heard.length === 1200);
  expect(ids(channel)).toEqual(upTo(1200));
  await channel.close();
});

test('only what was meant for the listener, also when most was not', async () => {
  const neighbour = await createConsumer(app, merchant);
  for (const from of [1, 401, 801]) await publishEvents(neighbour, merchant.id, upTo(400, from));
  await publishEvents(consumer, merchant.id, [1201]);
  const channel = await listen(app, { ...consumer, lastEventId: 0 });
  await until(() => channel.heard.length > 0);
  expect(ids(channel)).toEqual([1201]);
  await channel.close();
});

test.each(['999999999', '-1', 'x', '', '1e3', '9'.repeat(30)])(
  'a place that is none yet, "%s", hears what is new',
  async (place) => {
    await publishEvents(consumer, merchant.id, upTo(3));
    const { socket, heard, answered } = openSocket(
      app,
      { merchant_uuid: merchant.uuid, last_event_id: place },
      { headers: { Authorization: `Bearer ${consumer.token}` } },
    );
    expect(await answered).toBe(101);
    await publishEvents(consumer, merchant.id, [4]);
    await until(() => heard.length > 0);
    expect(ids({ heard })).toEqual([4]);
    socket.close();
  },
);

test('no gap and nothing twice, while events are committed and listeners come', async () => {
  const total = 400;
  await publishEvents(consumer, merchant.id, upTo(20));
  let begun = 20;
  let committed = 20;
  const write = async () => {
    while (begun < total) {
      const from = (begun += 2) - 1;
      await publishEvents(consumer, merchant.id, [from, from + 1]);
      committed += 2;
    }
  };
  const writers = Promise.all([write(), write(), write()]);
  const channels: { place: number; channel: Listening }[] = [];
  for (let newcomer = 0; newcomer < 12; newcomer += 1) {
    const place = newcomer % 3 === 0 ? 0 : Math.min(10 * newcomer, committed - 5);
    const who = newcomer % 2 === 0 ? consumer : merchant;
    channels.push({ place, channel: await listen(app, { ...who, lastEventId: place }) });
  }
  await writers;
  for (const { place, channel } of channels) {
    await until(() => channel.heard.at(-1)?.id === total);
    expect(ids(channel)).toEqual(upTo(total - place, place + 1));
    await channel.close();
  }
});

test('a listener that breaks off again and again misses nothing in the end', async () => {
  const total = 120;
  const written = (async () => {
    for (let item = 1; item <= total; item += 1) await publishEvents(consumer, merchant.id, [item]);
  })();
  const heard: number[] = [];
  while (heard.at(-1) !== total) {
    const channel = await listen(app, { ...consumer, lastEventId: heard.at(-1) ?? 0 });
    await until(() => channel.heard.length > 0);
    channel.socket.terminate();
    await channel.closed;
    heard.push(...ids(channel));
  }
  await written;
  expect(heard).toEqual(upTo(total));
});

test('of two transactions that overlap, both are heard, in the order of their commits', async () => {
  const channel = await listen(app, merchant);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let published = (): void => undefined;
  const firstIsPublished = new Promise<void>((resolve) => (published = resolve));
  const first = publishEvents(consumer, merchant.id, [1], () => {
    published();
    return held;
  });
  await firstIsPublished;
  const second = publishEvents(consumer, merchant.id, [2]);
  await app.pool.query('SELECT pg_sleep(0.1)');
  expect(channel.heard).toEqual([]);
  release();
  await Promise.all([first, second]);
  await until(() => channel.heard.length === 2);
  expect(channel.heard.map(({ id, resource }) => [id, resource['item_id']])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  await channel.close();
});

test('listeners are woken by the commit of an event, and not before', async () => {
  const listener = await app.pool.connect();
  let wakes = 0;
  listener.on('notification', ({ payload }) => {
    if (payload === String(merchant.id)) wakes += 1;
  });
  try {
    await listener.query('LISTEN events');
    await publishEvents(consumer, merchant.id, [1], async () => {
      // The server sends waiting notifications before it answers.
      await listener.query('SELECT 1');
      await listener.query('SELECT 1');
      expect(wakes).toBe(0);
    });
    await until(() => wakes === 1);
  } finally {
    listener.release(true);
  }
});

test('an event whose NOTIFY is lost is heard all the same', async () => {
  const channel = await listen(app, consumer);
  await publishEvents(consumer, merchant.id, [1]);
  await until(() => channel.heard.length === 1);
  await app.pool.query(
    `WITH taken AS (UPDATE channels SET last_sequence = last_sequence + 1 WHERE merchant_id = $1 RETURNING last_sequence)
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
     SELECT $1, last_sequence, $2, 'access.revoked', '{"item_id": 2}', 'silent' FROM taken`,
    [merchant.id, consumer.id],
  );
  await until(() => channel.heard.length === 2);
  expect(ids(channel)).toEqual([1, 2]);
  await channel.close();
});

test('what one missed is read for it alone: the reader of its merchant goes on from what is new', async () => {
  const asked: [number | undefined, number][] = [];
  const channel = await startChannel({
    lastPlaces: () => Promise.resolve(new Map([[1, 1_000_000]])),
    readEvents: ({ accountId }, after) => {
      asked.push([accountId, after]);
      return Promise.resolve([]);
    },
  });
  const { socket } = openSocket(channel, { merchant_uuid: 'm', last_event_id: '5' });
  await until(() => asked.length === 2);
  expect(asked).toEqual([
    [1, 5],
    [undefined, 1_000_000],
  ]);
  socket.terminate();
  channel.stop();
});
