import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AppError } from '../../src/kit/errors';
import { readUpload } from '../../src/kit/upload';
import { form, send } from '../support/raw';
import { until } from '../support/until';

/** A form with one file. A server of the test answers what the parser has found, or the code of its refusal. */

const bytesMax = 2_000;

interface Found {
  fields?: Record<string, unknown>;
  /** The size of the file in bytes. Null without a file. */
  bytes?: number | null;
  error?: string;
}

let server: Server;
let place: { address: string };
const outcomes: Found[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = (status: number, found: Found) => {
      outcomes.push(found);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(found));
    };
    readUpload(request, bytesMax).then(
      ({ fields, file }) => answer(200, { fields, bytes: file?.length ?? null }),
      (error: unknown) =>
        error instanceof AppError ? answer(error.status, { error: error.code }) : answer(500, { error: String(error) }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const boundary = 'cut-here';
const multipart = `multipart/form-data; boundary=${boundary}`;
const end = `--${boundary}--\r\n`;
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string, filename = 'picture.png') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="picture"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n${content}\r\n`;

async function post(body: string | Buffer | ReadableStream, contentType = multipart) {
  const { status, body: found } = await send<Found>(place, 'POST', '/', { body, contentType });
  return { status, ...found };
}

test('the fields and the file of a form', async () => {
  const sent = field('title', 'Ünïcode & =') + field('list[]', 'a') + field('list[]', 'b') + file('bytes') + end;
  expect(await post(sent)).toEqual({ status: 200, fields: { title: 'Ünïcode & =', list: ['a', 'b'] }, bytes: 5 });
});

test('without a chosen file, and in a form of another type, there is no file', async () => {
  expect(await post(field('title', 'x') + file('', '') + end)).toEqual({
    status: 200,
    fields: { title: 'x' },
    bytes: null,
  });
  expect(await post('title=x', form)).toEqual({ status: 200, fields: { title: 'x' }, bytes: null });
});

describe('the size', () => {
  test.each([
    [1, 1],
    [bytesMax, bytesMax],
    [bytesMax + 1, bytesMax + 1],
    [bytesMax * 7, bytesMax + 1],
  ])('a file of %i bytes has %i: of a larger file only the byte behind the limit is kept', async (sent, kept) => {
    expect(await post(file('x'.repeat(sent)) + end)).toMatchObject({ status: 200, bytes: kept });
  });

  test('413 body_too_large: more than eight times the limit, with and without a length', async () => {
    const body = Buffer.from(file('x'.repeat(bytesMax * 8)) + end);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 500) controller.enqueue(new Uint8Array(body.subarray(at, at + 500)));
        controller.close();
      },
    });
    for (const sent of [body, stream]) expect(await post(sent)).toEqual({ status: 413, error: 'body_too_large' });
  });

  test('413 body_too_large: a field that is too long is not cut', async () => {
    const most = 'x'.repeat(10_000);
    expect(await post(field('title', most) + end)).toMatchObject({ status: 200, fields: { title: most } });
    expect(await post(field('title', `${most}y`) + end)).toEqual({ status: 413, error: 'body_too_large' });
  });

  test('400 malformed_request: more than 50 fields or one file', async () => {
    const fields = Array.from({ length: 50 }, (_, index) => field(`f${index}`, 'x')).join('');
    expect((await post(fields + file('a') + end)).status).toBe(200);
    for (const sent of [fields + field('more', 'x'), file('a') + file('b')])
      expect(await post(sent + end)).toEqual({ status: 400, error: 'malformed_request' });
  });
});

describe('400 malformed_request', () => {
  test.each([
    ['no boundary', file('a') + end, 'multipart/form-data'],
    ['another boundary', file('a') + end, 'multipart/form-data; boundary=elsewhere'],
    ['no end', file('a'), multipart],
    ['an end within the headers of a part', `--${boundary}\r\nContent-Disp`, multipart],
    ['an end within the file', `${file('a').slice(0, -3)}`, multipart],
    ['no part', 'text', multipart],
    ['nothing', '', multipart],
    ['a name that JavaScript knows', field('__proto__[a]', 'x') + end, multipart],
    ['a name that nests too deep', field('a[b][c][d][e][f][g]', 'x') + end, multipart],
    ['a NUL', field('title', 'a\0b') + end, multipart],
  ])('%s', async (_what, body, contentType) => {
    expect(await post(body, contentType)).toEqual({ status: 400, error: 'malformed_request' });
  });

  test('a connection that breaks in the middle leaves nothing that waits', async () => {
    const before = outcomes.length;
    const socket = connect(Number(new URL(place.address).port), '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nHost: test\r\nContent-Type: ${multipart}\r\nContent-Length: 900\r\n\r\n`;
    socket.write(head + file('a').slice(0, -2), () => socket.destroy());
    await until(() => outcomes.length > before);
    expect(outcomes.at(-1)).toEqual({ error: 'malformed_request' });
  });
});
