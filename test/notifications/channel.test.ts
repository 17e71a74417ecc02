import { call, listen } from '../support/client';
import { publishEvents } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { speak } from '../support/raw';
import { openSocket } from '../support/socket';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let merchant: Person;
let consumer: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

afterAll(() => app.stop());

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describe('who may listen', () => {
  test.each([
    ['no token', {}],
    ['a broken one', { headers: { Authorization: 'Bearer x.y.z' } }],
    ['an empty one', { headers: { Authorization: 'Bearer ' } }],
    ['a broken one as a subprotocol', { protocols: ['paywall.v1', 'bearer.x.y.z'] }],
  ])('4401: %s', async (_what, options) => {
    const { closed, heard } = openSocket(app, { merchant_uuid: merchant.uuid }, options);
    await publishEvents(consumer, merchant.id, [1]);
    expect(await closed).toBe(4401);
    expect(heard).toEqual([]);
  });

  test('4401: a token that was signed out, and one in the query, where it would be logged', async () => {
    const leaver = await createConsumer(app, merchant);
    await call(app, 'GET', '/accounts/logout', undefined, leaver);
    expect(await openSocket(app, { merchant_uuid: merchant.uuid }, bearer(leaver.token)).closed).toBe(4401);
    const query = { merchant_uuid: merchant.uuid, token: consumer.token, access_token: consumer.token };
    expect(await openSocket(app, query).closed).toBe(4401);
  });

  test('4403: the uuid of another merchant, of nobody, of no form, or none', async () => {
    const other = await createMerchant(app);
    for (const uuid of [other.uuid, '00000000-0000-4000-8000-000000000000', 'x', consumer.uuid])
      expect(await openSocket(app, { merchant_uuid: uuid }, bearer(consumer.token)).closed).toBe(4403);
    expect(await openSocket(app, {}, bearer(consumer.token)).closed).toBe(4403);
    expect(await openSocket(app, { merchant_uuid: merchant.uuid }, bearer(other.token)).closed).toBe(4403);
  });

  test('101: a browser, whose token comes as a subprotocol that is not repeated to it', async () => {
    const protocols = ['paywall.v1', `bearer.${consumer.token}`];
    const { socket, answered, heard } = openSocket(app, { merchant_uuid: merchant.uuid }, { protocols });
    expect(await answered).toBe(101);
    expect(socket.protocol).toBe('paywall.v1');
    await publishEvents(consumer, merchant.id, [7]);
    await until(() => heard.some(({ resource }) => resource['item_id'] === 7));
    socket.close();
  });

  test('101: the uuid in capitals', async () => {
    const { socket, answered } = openSocket(
      app,
      { merchant_uuid: merchant.uuid.toUpperCase() },
      bearer(consumer.token),
    );
    expect(await answered).toBe(101);
    socket.close();
  });
});

describe('what is heard', () => {
  test('a message is one frame, nothing comes before it', async () => {
    const channel = await listen(app, consumer);
    await publishEvents(consumer, merchant.id, [501]);
    expect(await channel.hears('access.revoked')).toEqual({
      id: expect.any(Number) as number,
      type: 'access.revoked',
      timestamp: expect.any(Number) as number,
      merchant_uuid: merchant.uuid,
      account_uuid: consumer.uuid,
      resource: { item_id: 501 },
    });
    expect(channel.heard).toHaveLength(1);
    await channel.close();
  });

  test('a merchant hears all of its customers, a consumer never another account, another merchant nothing', async () => {
    const neighbour = await createConsumer(app, merchant);
    const other = await createMerchant(app);
    const stranger = await createConsumer(app, other);
    const own = await listen(app, consumer);
    const next = await listen(app, neighbour);
    const all = await listen(app, merchant);
    const foreign = await listen(app, other);
    await publishEvents(consumer, merchant.id, [1]);
    await publishEvents(neighbour, merchant.id, [2]);
    await publishEvents(consumer, merchant.id, [3]);
    await publishEvents(stranger, other.id, [4]);
    const channels = [own, next, all, foreign];
    await until(() => [2, 1, 3, 1].every((count, index) => (channels[index]?.heard.length ?? 0) >= count));
    const heard = channels.map((channel) => channel.heard.map(({ resource }) => resource['item_id']));
    expect(heard).toEqual([[1, 3], [2], [1, 2, 3], [4]]);
    await Promise.all(channels.map((channel) => channel.close()));
  });

  test('two sockets of one account both hear', async () => {
    const channels = [await listen(app, consumer), await listen(app, consumer)];
    await publishEvents(consumer, merchant.id, [1]);
    await Promise.all(channels.map((channel) => channel.hears('access.revoked')));
    await Promise.all(channels.map((channel) => channel.close()));
  });

  test('what a client sends changes nothing, and a frame above 4 kB ends the socket', async () => {
    const channel = await listen(app, consumer);
    channel.socket.send(JSON.stringify({ subscribe: '*', merchant_uuid: 'x' }));
    await publishEvents(consumer, merchant.id, [1]);
    await channel.hears('access.revoked');
    channel.socket.send('x'.repeat(4097));
    expect(await channel.closed).toBe(1009);
  });
});

describe('the end of a session', () => {
  test('4401: signing out closes its sockets and no others', async () => {
    const leaver = await createConsumer(app, merchant);
    const [ended, stays] = [await listen(app, leaver), await listen(app, consumer)];
    await call(app, 'GET', '/accounts/logout', undefined, leaver);
    expect(await ended.closed).toBe(4401);
    await publishEvents(leaver, merchant.id, [1]);
    await publishEvents(consumer, merchant.id, [2]);
    await stays.hears('access.revoked');
    expect(ended.heard).toEqual([]);
    await stays.close();
  });

  test('4401: a session that another replica ended', async () => {
    const leaver = await createConsumer(app, merchant);
    const channel = await listen(app, leaver);
    await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE account_id = $1', [leaver.id]);
    await app.pool.query(`SELECT pg_notify('sessions', id::text) FROM sessions WHERE account_id = $1`, [leaver.id]);
    expect(await channel.closed).toBe(4401);
  });
});

describe('an upgrade that is none of ours', () => {
  const upgrade = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

  test.each(['/', '/notifications/x', '/mqtts', '//', '///x', '//[', 'http://[', '*', '/%zz'])(
    '404: %s, and the process lives on',
    async (target) => {
      expect(await speak(app, upgrade(target))).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect((await call(app, 'GET', '/health/live')).status).toBe(200);
    },
  );

  test('404: a peer that is gone before it is answered takes nobody with it', async () => {
    const { connect } = await import('node:net');
    const port = Number(new URL(app.address).port);
    for (const target of ['/nothing', '//', `/notifications?merchant_uuid=${merchant.uuid}`]) {
      const socket = connect(port, '127.0.0.1', () => socket.write(upgrade(target), () => socket.resetAndDestroy()));
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect((await call(app, 'GET', '/health/live')).status).toBe(200);
  });

  test('404: GET /notifications without an upgrade is JSON', async () => {
    expect(await call(app, 'GET', `/notifications?merchant_uuid=${merchant.uuid}`, undefined, consumer)).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
  });
});
