import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { z } from 'zod';
import { anyone, signedIn } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { Message, message } from '../../src/kit/page';
import { startKit, type Kit } from '../support/kit';

const common = {
  method: 'post',
  summary: 'Takes a text',
  body: z.object({ text: z.string() }),
  status: 200,
  response: Message,
  errors: [],
  handler: () => Promise.resolve(message('Taken')),
} as const;

const endpoints = {
  own: endpoint({ ...common, path: '/own', auth: signedIn() }),
  open: endpoint({ ...common, path: '/open', auth: anyone() }),
};
const exceeded = { limit: 1, remaining: 0, resetSeconds: 7, isExceeded: true };
let kit: Kit;
/** All requests are above its limit. */
let limited: Kit;

beforeAll(async () => {
  kit = await startKit(endpoints);
  limited = await startKit(endpoints, { rateLimiter: { count: () => exceeded, read: () => exceeded } as never });
});
afterAll(() => Promise.all([kit.stop(), limited.stop()]));

function post(path: string, kilobytes: number, type?: 'multipart', { address } = kit) {
  const text = 'x'.repeat(kilobytes * 1024);
  const form = new FormData();
  form.set('text', text);
  return fetch(`${address}${path}`, { method: 'POST', body: type ? form : new URLSearchParams({ text }) });
}

test.each([
  ['a request without a token', '/own', 60, 401, 'multipart'],
  ['a form without a token', '/own', 90, 401, undefined],
  ['an address that is not ours', '/nothing', 60, 404, 'multipart'],
  ['a body that is too large', '/open', 200, 413, undefined],
] as const)('the refusal of %s reaches every client that is still sending', async (_what, path, size, status, type) => {
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(path, size, type)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
  }
});

test.each(['multipart', undefined] as const)('so does the refusal above a limit, of a form: %s', async (type) => {
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post('/open', 60, type, limited)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 429));
  }
});

/** Sends a part of a body, and reads the answer until the server ends it. */
async function half(declared: number, chunks: AsyncIterable<string>): Promise<string> {
  const { hostname, port } = new URL(kit.address);
  const socket = new Socket().connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST /own HTTP/1.1\r\nHost: x\r\nContent-Length: ${declared}\r\n\r\n`);
  for await (const chunk of chunks) if (!socket.destroyed) socket.write(chunk);
  await closed;
  return heard;
}

test('a client that never sends the rest gets its answer, and the connection ends', async () => {
  const heard = await half(
    90_000,
    (async function* () {
      await sleep(0);
      yield 'text=x';
    })(),
  );
  expect(heard).toMatch(/^HTTP\/1\.1 401 /);
});

test('a client that sends without end is cut off', async () => {
  let sent = 0;
  const heard = await half(
    1_000_000_000,
    (async function* () {
      for (; sent < 4_000; sent += 1) {
        await sleep(0);
        yield 'x'.repeat(16_384);
      }
    })(),
  );
  expect(heard).toMatch(/^HTTP\/1\.1 401 /);
});

/** Sends most of a body after the answer has begun. Returns whether the server has read all of it. */
async function sendsTheRest(): Promise<boolean> {
  const { hostname, port } = new URL(kit.address);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const pieces = ['text=', 'x'.repeat(30_000), 'x'.repeat(30_000)];
  const [first = '', ...rest] = pieces;
  let isBroken = false;
  socket.on('error', () => (isBroken = true));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST /own HTTP/1.1\r\nHost: x\r\nContent-Length: ${pieces.join('').length}\r\n\r\n${first}`);
  await once(socket, 'data');
  for (const piece of rest) await new Promise((sent) => socket.write(piece, sent));
  socket.resume().once('end', () => socket.end());
  await closed;
  return !isBroken;
}

test('a client that sends the rest of its body after the answer meets no broken connection', async () => {
  // The server waits for a second. One of five clients is fast enough on any machine.
  expect(await Promise.all(Array.from({ length: 5 }, sendsTheRest))).toContain(true);
});
