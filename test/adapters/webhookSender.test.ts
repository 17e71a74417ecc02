import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type OutgoingWebhook, sendWebhook } from '../../src/adapters/webhookSender';
import { answering, isSigned, startReceiver, type Receiver } from '../support/webhooks';

/** One POST to well-behaved servers and to hostile ones. */

let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.stop());

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const webhook = (url: string): OutgoingWebhook => ({
  url,
  format: 'standard',
  id: 'msg_1',
  secrets: [secret],
  payload: { type: 'access.granted', text: 'Größe €' },
});
const anywhere = { allowPrivate: true };

test('a standard webhook is signed over its bytes', async () => {
  const reply = await sendWebhook(webhook(receiver.url), anywhere);
  expect(reply).toEqual({ status: 204, body: '', error: null, durationMs: expect.any(Number) as number });
  const [received] = receiver.received;
  expect(received?.body).toBe('{"type":"access.granted","text":"Größe €"}');
  expect(received && (await isSigned(received, secret))).toBe(true);
});

test('the check of signatures itself can fail', async () => {
  await sendWebhook(webhook(receiver.url), anywhere);
  const [received] = receiver.received;
  if (!received) throw new Error('nothing was received');
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  expect(await isSigned(received, other)).toBe(false);
  const old = { ...received, headers: { ...received.headers, 'webhook-timestamp': '1700000000' } };
  expect(await isSigned(old, secret)).toBe(false);
  const renamed = { ...received, headers: { ...received.headers, 'webhook-id': 'msg_2' } };
  expect(await isSigned(renamed, secret)).toBe(false);
});

test.each([200, 201, 204, 301, 307, 400, 410, 500, 503])('the answer %i is told, whatever it means', async (status) => {
  receiver.answer = (response) => void response.writeHead(status, { Location: receiver.url }).end();
  expect(await sendWebhook(webhook(receiver.url), anywhere)).toMatchObject({ status, error: null });
  expect(receiver.received).toHaveLength(1);
});

test('of an answer without end only the first kilobyte is read', async () => {
  let isClosed = false;
  receiver.answer = (response) => {
    const flood = () => {
      while (!isClosed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', flood).on('close', () => (isClosed = true));
    response.writeHead(200);
    flood();
  };
  const reply = await sendWebhook(webhook(receiver.url), anywhere);
  expect(reply).toMatchObject({ status: 200, body: 'x'.repeat(1024), error: null });
});

test.each([1023, 1024, 1025, 100_000])('of an answer of %i bytes at most a kilobyte is kept', async (length) => {
  receiver.answer = answering(200, 'x'.repeat(length));
  const reply = await sendWebhook(webhook(receiver.url), anywhere);
  expect(reply).toMatchObject({ status: 200, body: 'x'.repeat(Math.min(length, 1024)), error: null });
});

test('an answer may hold anything: what is kept of it is text', async () => {
  receiver.answer = (response) => void response.writeHead(200).end(Buffer.from([0x61, 0x00, 0xff, 0x62]));
  expect(await sendWebhook(webhook(receiver.url), anywhere)).toMatchObject({ body: 'a\ufffd\ufffdb' });
});

test('a server that says nothing is left after the time limit', async () => {
  receiver.answer = () => undefined;
  const reply = await sendWebhook(webhook(receiver.url), { ...anywhere, timeLimitMs: 100 });
  expect(reply).toMatchObject({ status: null, error: 'timeout' });
});

test('a server that drips is left after the time limit, and its status counts', async () => {
  receiver.answer = (response) => {
    response.writeHead(202);
    const drip = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(drip));
  };
  const reply = await sendWebhook(webhook(receiver.url), { ...anywhere, timeLimitMs: 1_000 });
  expect(reply).toMatchObject({ status: 202, error: 'timeout' });
});

test.each([
  ['closes at once', (socket: Socket) => socket.destroy()],
  ['speaks something else', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n')],
  ['has headers without end', (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`)],
])('a server that %s is a failure, and nothing more', async (_name, behave) => {
  const server = createServer((socket) => behave(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const reply = await sendWebhook(webhook(`http://127.0.0.1:${port}/`), anywhere);
  expect(reply).toMatchObject({ status: null, error: expect.stringMatching(/./) as string });
  server.close();
});

describe('an address inside', () => {
  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1', '0'])(
    'is refused: %s',
    async (host) => {
      const url = receiver.url.replace('127.0.0.1', host);
      expect(await sendWebhook(webhook(url))).toMatchObject({ status: null, error: 'private_address' });
      expect(receiver.received).toEqual([]);
    },
  );

  test('is refused behind a name', async () => {
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    expect(await sendWebhook(webhook(url))).toMatchObject({ status: null, error: 'private_address' });
    expect(receiver.received).toEqual([]);
  });

  test('is refused behind a name that was another one when it was looked at before', async () => {
    const answers = ['1.1.1.1', '127.0.0.1'];
    const resolve = () => Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
    await resolve();
    const url = receiver.url.replace('127.0.0.1', 'hooks.example');
    expect(await sendWebhook(webhook(url), { resolve })).toMatchObject({ status: null, error: 'private_address' });
    expect(receiver.received).toEqual([]);
  });
});

test('https looks at addresses in the same way, and speaks to nobody without a certificate', async () => {
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  const url = receiver.url.replace('http://127.0.0.1', 'https://hooks.example');
  expect(await sendWebhook(webhook(url), { resolve })).toMatchObject({ error: 'private_address' });
  const reply = await sendWebhook(webhook(url), { ...anywhere, resolve });
  expect(reply).toMatchObject({ status: null, error: expect.stringMatching(/^(EPROTO|ERR_SSL)/) as string });
  expect(receiver.received).toEqual([]);
});

test('a name is looked up once a connection, and what was looked at is what is connected to', async () => {
  const answers = ['127.0.0.1', '203.0.113.1'];
  const asked: string[] = [];
  const resolve = (name: string) => {
    asked.push(name);
    return Promise.resolve([{ address: answers.shift() ?? '', family: 4 }]);
  };
  const url = receiver.url.replace('127.0.0.1', 'hooks.example');
  expect(await sendWebhook(webhook(url), { ...anywhere, resolve })).toMatchObject({ status: 204 });
  expect(asked).toEqual(['hooks.example']);
  expect(receiver.received[0]?.headers.host).toMatch(/^hooks\.example:\d+$/);
});
