import { once } from 'node:events';
import { WebSocket } from 'ws';
import { startChannel, type ChannelAlone } from '../support/channelAlone';
import { listen } from '../support/client';
import { publishEvents } from '../support/events';
import { createConsumer, createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** Clients and servers that disappear without closing the connection. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

describe('a peer that answers no ping', () => {
  let channel: ChannelAlone;

  /** Pinged more often than by the service. A process that is busy for a moment answers in time. */
  beforeAll(async () => (channel = await startChannel({ pingEveryMs: 1_000 })));
  afterAll(() => channel.stop());

  test('is given up, and one that answers stays', async () => {
    const { address: base, sockets } = channel;
    const address = `${base.replace('http', 'ws')}/notifications?merchant_uuid=m`;
    const [dead, alive] = [new WebSocket(address), new WebSocket(address)];
    const died = once(dead, 'close');
    await Promise.all([once(dead, 'open'), once(alive, 'open')]);
    dead.pause();
    await until(() => sockets.count() === 1);
    for (let ping = 0; ping < 4; ping += 1) await once(alive, 'ping');
    expect(sockets.count()).toBe(1);
    expect(alive.readyState).toBe(WebSocket.OPEN);
    dead.resume();
    expect((await died)[0]).toBe(1006);
    alive.terminate();
    await until(() => sockets.count() === 0);
  });
});

test('while the connection that hears NOTIFY is cut again and again, the poll takes over', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const channel = await listen(app, consumer);
  let cuts = 0;
  const cut = async () => {
    const { rowCount } = await app.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`,
    );
    cuts += rowCount ?? 0;
  };
  await until(async () => (await cut(), cuts > 0));
  await publishEvents(consumer, merchant.id, [1]);
  await until(async () => (await cut(), channel.heard.length === 1));
  // Events that were published without a listener are not lost, and the channel works as before.
  await publishEvents(consumer, merchant.id, [2]);
  await until(() => channel.heard.length === 2);
  expect(channel.heard.map(({ resource }) => resource['item_id'])).toEqual([1, 2]);
  await channel.close();
});

test('a session that ended while nobody listened is sent away all the same', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const channel = await listen(app, consumer);
  await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [consumer.id]);
  expect(await channel.closed).toBe(4401);
});
