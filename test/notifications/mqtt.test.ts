import { once } from 'node:events';
import { generate, parser, type Packet } from 'mqtt-packet';
import { WebSocket } from 'ws';
import { call } from '../support/client';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { getKeys, listenByMqtt, mqttAddress, openMqtt } from '../support/mqtt';
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

const itemsOf = (heard: { text: string }[]) =>
  heard.map(({ text }) => (JSON.parse(text) as { resource: { item_id: number } }).resource.item_id);

describe('an MQTT client', () => {
  test('hears its own account’s events in order, one message a packet', async () => {
    const neighbour = await createConsumer(app, merchant);
    const { client, heard } = await listenByMqtt(app, consumer);
    await publishEvents(neighbour, merchant.id, [99]);
    for (const item of upTo(5)) await publishEvents(consumer, merchant.id, [item]);
    await until(() => heard.length === 5);
    expect(itemsOf(heard)).toEqual(upTo(5));
    expect(new Set(heard.map(({ topic }) => topic))).toEqual(new Set([consumer.uuid]));
    expect(JSON.parse(heard[0]?.text ?? '')).toMatchObject({
      type: 'access.revoked',
      timestamp: expect.any(Number) as number,
      resource: { item_id: 1 },
    });
    await client.endAsync();
  });

  test('hears no type that it does not know, and an empty resource is none', async () => {
    const { client, heard } = await listenByMqtt(app, consumer);
    const write = (type: string, key: string) =>
      app.pool.query(
        `WITH taken AS (UPDATE channels SET last_sequence = last_sequence + 1 WHERE merchant_id = $1 RETURNING *)
         INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
         SELECT $1, last_sequence, $2, $3, '{}', $4 FROM taken`,
        [merchant.id, consumer.id, type, key],
      );
    for (const type of ['subscribe.renewed', 'account.export.success', 'payment.refund.success', 'account.erased'])
      await write(type, `mqtt ${type}`);
    await until(() => heard.length > 0);
    const messages = heard.map(({ text }) => JSON.parse(text) as object);
    expect(messages).toEqual([expect.objectContaining({ type: 'account.erased' })]);
    expect(messages[0]).not.toHaveProperty('resource');
    await client.endAsync();
  });

  test('a merchant hears its own account only, whatever it may read elsewhere', async () => {
    const { client, heard } = await listenByMqtt(app, merchant);
    await publishEvents(consumer, merchant.id, [1]);
    await publishEvents(merchant, merchant.id, [2]);
    await until(() => heard.length > 0);
    expect(itemsOf(heard)).toEqual([2]);
    await client.endAsync();
  });

  test('two devices with one client id both hear', async () => {
    const devices = [1, 2].map(() => listenByMqtt(app, consumer, { clientId: consumer.uuid }));
    const [one, two] = await Promise.all(devices);
    await publishEvents(consumer, merchant.id, [1]);
    await until(() => one?.heard.length === 1 && two?.heard.length === 1);
    await Promise.all([one?.client.endAsync(), two?.client.endAsync()]);
  });

  test('asks for more than QoS 0, and is given that', async () => {
    const { client } = openMqtt(app, (await getKeys(app, consumer)).sessionToken);
    expect(await client.subscribeAsync(consumer.uuid, { qos: 1 })).toMatchObject([{ qos: 0 }]);
    await client.endAsync();
  });

  test('is kept alive', async () => {
    // The server allows half as much again. A process that is busy for a second pings in time.
    const { client, heard } = await listenByMqtt(app, consumer, { keepalive: 2 });
    await new Promise<void>((resolve) => {
      let answers = 0;
      client.on('packetreceive', ({ cmd }) => cmd === 'pingresp' && (answers += 1) === 2 && resolve());
    });
    await publishEvents(consumer, merchant.id, [1]);
    await until(() => heard.length === 1);
    await client.endAsync();
  });

  test('unsubscribes while it subscribes, and is unsubscribed', async () => {
    const { client, heard } = openMqtt(app, (await getKeys(app, consumer)).sessionToken);
    await Promise.all([client.subscribeAsync(consumer.uuid), client.unsubscribeAsync(consumer.uuid)]);
    const other = await listenByMqtt(app, consumer);
    await publishEvents(consumer, merchant.id, [1]);
    await until(() => other.heard.length === 1);
    expect(heard).toEqual([]);
    await Promise.all([client.endAsync(), other.client.endAsync()]);
  });

  test('unsubscribes, hears nothing more, and subscribes again', async () => {
    const { client, heard } = await listenByMqtt(app, consumer);
    await client.unsubscribeAsync(consumer.uuid);
    await publishEvents(consumer, merchant.id, [1]);
    await client.subscribeAsync(consumer.uuid);
    await publishEvents(consumer, merchant.id, [2]);
    await until(() => heard.length > 0);
    expect(itemsOf(heard)).toEqual([2]);
    await client.endAsync();
  });
});

describe('who may listen', () => {
  test.each([
    ['nothing', ''],
    ['what is no token', 'x.y.z'],
  ])('refused: %s', async (_what, token) => {
    const { refused, closed } = openMqtt(app, token);
    expect(await refused).toBe('Connection refused: Not authorized');
    await closed;
  });

  test('refused: an access token, and a token that has run out', async () => {
    expect(await openMqtt(app, consumer.token).refused).toMatch(/Not authorized/);
    const { signChannelToken, verifyAccessToken } = await import('../../src/adapters/jwt.js');
    const { sid } = verifyAccessToken(consumer.token);
    const exp = Math.floor(Date.now() / 1000) - 31;
    expect(await openMqtt(app, signChannelToken({ sub: consumer.uuid, sid, exp })).refused).toMatch(/Not authorized/);
  });

  test('refused: a token of another account than the session’s', async () => {
    const { signChannelToken, verifyAccessToken } = await import('../../src/adapters/jwt.js');
    const claims = { sid: verifyAccessToken(consumer.token).sid, exp: Math.floor(Date.now() / 1000) + 60 };
    expect(await openMqtt(app, signChannelToken({ ...claims, sub: merchant.uuid })).refused).toMatch(/Not authorized/);
  });

  test('refused: the token of a session that has ended; who listens is sent away', async () => {
    const leaver = await createConsumer(app, merchant);
    const { sessionToken } = await getKeys(app, leaver);
    const { closed } = await listenByMqtt(app, leaver);
    await call(app, 'GET', '/accounts/logout', undefined, leaver);
    await closed;
    expect(await openMqtt(app, sessionToken).refused).toMatch(/Not authorized/);
  });

  test('refused topics: another account’s, a wildcard, none; its own beside them is granted', async () => {
    const stranger = await createConsumer(app, merchant);
    const socket = await openRaw();
    const topics = [
      stranger.uuid,
      '#',
      '+',
      `${consumer.uuid}/#`,
      '$SYS/#',
      consumer.uuid,
      consumer.uuid.toUpperCase(),
    ];
    socket.send({ cmd: 'subscribe', messageId: 7, subscriptions: topics.map((topic) => ({ topic, qos: 0 as const })) });
    const answer = await until(() => socket.received.find(({ cmd }) => cmd === 'suback'));
    const no = 128;
    expect(answer).toMatchObject({ messageId: 7, granted: [no, no, no, no, no, 0, no] });
    await publishEvents(stranger, merchant.id, [1]);
    await publishEvents(consumer, merchant.id, [2]);
    const heard = await until(() => socket.received.find(({ cmd }) => cmd === 'publish'));
    expect(itemsOf([{ text: (heard as { payload: Buffer }).payload.toString() }])).toEqual([2]);
    socket.end();
  });
});

interface Raw {
  received: Packet[];
  closed: Promise<number>;
  protocol: string;
  send: (packet: Packet | Buffer) => void;
  sendText: (text: string) => void;
  end: () => void;
}

/** A socket without a library, for packets that no library sends. Connected by default. */
async function openRaw(options: { protocols?: string[]; connects?: boolean } = {}): Promise<Raw> {
  const { sessionToken } = await getKeys(app, consumer);
  const socket = new WebSocket(mqttAddress(app, sessionToken), options.protocols ?? ['mqttv3.1']);
  const received: Packet[] = [];
  const packets = parser({ protocolVersion: 4 }).on('packet', (packet: Packet) => received.push(packet));
  socket.on('message', (data: Buffer) => packets.parse(data));
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  const send = (packet: Packet | Buffer) => socket.send(Buffer.isBuffer(packet) ? packet : generate(packet));
  if (options.connects !== false) {
    send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'raw', clean: true, keepalive: 300 });
    await until(() => received.some(({ cmd }) => cmd === 'connack'));
  }
  return {
    received,
    closed,
    protocol: socket.protocol,
    send,
    sendText: (text) => socket.send(text),
    end: () => socket.terminate(),
  };
}

describe('the protocol', () => {
  test.each([[['mqtt']], [['mqttv3.1']], [['other', 'mqttv3.1']]])('101: %s', async (protocols) => {
    const socket = await openRaw({ protocols });
    expect(['mqtt', 'mqttv3.1']).toContain(socket.protocol);
    socket.end();
  });

  test('DISCONNECT ends the socket', async () => {
    const socket = await openRaw();
    socket.send({ cmd: 'disconnect' });
    expect(await socket.closed).toBe(1000);
  });

  test('refused: another version than 3.1 and 3.1.1', async () => {
    const { refused } = openMqtt(app, (await getKeys(app, consumer)).sessionToken, { protocolVersion: 5 });
    expect(await refused).toMatch(/refused|Unsupported|Unacceptable|version|[Pp]rotocol/);
  });

  test.each<[string, (socket: Raw) => void, number]>([
    [
      'a publication',
      (socket) =>
        socket.send({ cmd: 'publish', topic: consumer.uuid, payload: 'x', qos: 0, dup: false, retain: false }),
      1008,
    ],
    ['a second CONNECT', (socket) => socket.send({ cmd: 'connect', clientId: 'again' }), 1008],
    ['garbage', (socket) => socket.send(Buffer.from('GET / HTTP/1.1\r\n\r\n')), 1002],
    ['zeros', (socket) => socket.send(Buffer.alloc(64)), 1002],
    ['a length without end', (socket) => socket.send(Buffer.alloc(64, 0xff)), 1002],
    ['a text frame', (socket) => socket.sendText('CONNECT'), 1003],
    ['a frame of 1 MB', (socket) => socket.send(Buffer.alloc(1_000_000, 0x30)), 1009],
    [
      'a packet of 1 MB in small frames',
      (socket) => {
        socket.send(Buffer.from([0x82, 0xc0, 0x84, 0x3d]));
        for (let sent = 0; sent < 8; sent += 1) socket.send(Buffer.alloc(1_000));
      },
      1009,
    ],
    [
      'a flood of pings',
      (socket) => {
        for (let sent = 0; sent < 100; sent += 1) socket.send({ cmd: 'pingreq' });
      },
      1008,
    ],
    ['a flood of pings in one frame', (socket) => socket.send(Buffer.from('c000'.repeat(1_000), 'hex')), 1008],
  ])('closed: %s', async (_what, misbehave, code) => {
    const socket = await openRaw();
    misbehave(socket);
    expect(await socket.closed).toBe(code);
    expect((await call(app, 'GET', '/health/live')).status).toBe(200);
  });

  test('closed: anything before CONNECT, and silence after a keepalive of a second', async () => {
    const early = await openRaw({ connects: false });
    early.send({ cmd: 'pingreq' });
    expect(await early.closed).toBe(1008);
    const silent = await openRaw({ connects: false });
    silent.send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'silent', keepalive: 1 });
    expect(await silent.closed).toBe(1008);
  });

  test('packets may come in pieces, and many in one frame', async () => {
    const socket = await openRaw({ connects: false });
    const sent: Packet[] = [
      { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clientId: 'pieces', clean: true, keepalive: 60 },
      { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: consumer.uuid, qos: 0 }] },
      { cmd: 'pingreq' },
    ];
    const bytes = Buffer.concat(sent.map((packet) => generate(packet)));
    socket.send(bytes.subarray(0, 5));
    socket.send(bytes.subarray(5, 30));
    socket.send(bytes.subarray(30));
    await until(() => socket.received.length === 3);
    expect(socket.received.map(({ cmd }) => cmd).sort()).toEqual(['connack', 'pingresp', 'suback']);
    socket.end();
  });
});
