import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { form, json, send, speak } from '../support/raw';
import { startKit, type Kit } from '../support/kit';

const handled = jest.fn();
const echo = endpoint({
  method: 'post',
  path: '/echo',
  summary: 'Echo',
  auth: anyone(),
  body: z.object({ text: z.string(), map: z.unknown() }).partial(),
  query: z.object({ search: z.unknown() }).partial(),
  status: 200,
  response: z.unknown(),
  errors: [],
  handler: (input) => {
    handled(input);
    return Promise.resolve(input.body);
  },
});

let kit: Kit;

beforeAll(async () => (kit = await startKit({ echo })));
beforeEach(() => handled.mockClear());
afterAll(() => kit.stop());

const malformed = {
  code: 400,
  message: expect.stringMatching(/^Malformed request: [A-Z].*\.$/) as string,
  error: 'malformed_request',
};
const tooLarge = { code: 413, message: 'Payload Too Large', error: 'body_too_large' };

async function expectRefused(reply: ReturnType<typeof send>, status: number, body: object): Promise<void> {
  const { headers, ...rest } = await reply;
  expect(rest).toMatchObject({ status, body });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(handled).not.toHaveBeenCalled();
}

const sendForm = (body: string | Buffer) => send(kit, 'POST', '/echo', { body, contentType: form });
const sendJson = (body: string) => send(kit, 'POST', '/echo', { body, contentType: json });

describe('a form', () => {
  test.each([
    ['__proto__[x]=1'],
    ['map[__proto__][x]=1'],
    ['map[__proto__]=1'],
    ['map[%5F_proto%5F_]=1'],
    ['map%5B__proto__%5D=1'],
    ['map[constructor][prototype][x]=1'],
    ['constructor=1'],
    ['map[prototype]=1'],
    ['map.__proto__.x=1'],
    ['map[a][b][prototype]=1'],
    ['%5f%5fproto%5f%5f=1'],
  ])('400 malformed_request: the name in %s', async (body) => {
    await expectRefused(sendForm(`text=1&${body}`), 400, malformed);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test.each([
    ['a NUL character', 'text=a%00b'],
    ['a NUL character in a name', 'map[a%00b]=1'],
    ['an escaped lone surrogate', 'text=%ED%A0%80'],
    ['an escape that is no UTF-8', 'text=%ff'],
    ['an escape that is none', 'text=%zz'],
    ['an escape that is none, in a name', '%zz=1'],
    ['an escape cut short', 'text=%e2%82'],
    ['six levels below a name', 'map[a][b][c][d][e][f]=1'],
    ['a thousand levels', `map${'[a]'.repeat(1000)}=1`],
  ])('400 malformed_request: %s', async (_what, body) => {
    await expectRefused(sendForm(body), 400, malformed);
  });

  test('400 malformed_request: bytes that are no UTF-8', () =>
    expectRefused(sendForm(Buffer.from([...Buffer.from('text='), 0xff, 0xfe])), 400, malformed));

  test('200: five levels below a name', async () => {
    expect((await sendForm('map[a][b][c][d][e]=1')).status).toBe(200);
  });

  test('413 body_too_large: 1,001 parameters, where 1,000 pass', async () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
    await expectRefused(sendForm(parameters(1001)), 413, tooLarge);
    expect((await sendForm(parameters(1000))).status).toBe(200);
  });

  test.each(['map[201]=x', 'map[1000000]=x', 'map[99999999999]=x'])(
    '4xx: the index of %s makes no list of that length',
    async (body) => {
      const reply = await sendForm(body);
      expect([400, 413]).toContain(reply.status);
      expect(handled).not.toHaveBeenCalled();
    },
  );

  test('413 body_too_large: 201 values of one list', () =>
    expectRefused(sendForm('map[]=x&'.repeat(201)), 413, tooLarge));

  test.each(['search[__proto__]=1', 'search=%00', 'search=%zz', 'search[a][b][c][d][e][f]=1'])(
    '400 malformed_request: the query %s',
    (query) => expectRefused(send(kit, 'POST', `/echo?${query}`), 400, malformed),
  );
});

describe('JSON', () => {
  test.each([
    ['{"__proto__":{"x":1}}'],
    ['{"map":{"__proto__":{"x":1}}}'],
    ['{"map":[{"constructor":1}]}'],
    ['{"map":{"prototype":1}}'],
    ['{"text":"a\\u0000b"}'],
    ['{"text":"\\ud800"}'],
    ['{"map":{"\\udc00":1}}'],
    ['{"map":{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}}'],
  ])('400 malformed_request: %s', (body) => expectRefused(sendJson(body), 400, malformed));

  test('400 malformed_request: fifty thousand levels', () =>
    expectRefused(sendJson(`{"map":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), 400, malformed));

  test('413 body_too_large: 1,001 members', () =>
    expectRefused(sendJson(JSON.stringify({ map: Array(1001).fill(1) })), 413, tooLarge));
});

describe('a multipart body', () => {
  test.each(['__proto__[x]', 'map[constructor]'])('400 malformed_request: the name %s', async (name) => {
    const body = new FormData();
    body.append(name, '1');
    await expectRefused(send(kit, 'POST', '/echo', { body }), 400, malformed);
  });

  test('413 body_too_large: 1,001 parts', async () => {
    const body = new FormData();
    for (let index = 0; index <= 1000; index += 1) body.append(`p${index}`, '1');
    await expectRefused(send(kit, 'POST', '/echo', { body }), 413, tooLarge);
  });
});

describe('100 kB', () => {
  const limit = 100 * 1024;

  test('200: exactly', async () => {
    expect((await sendForm(`text=${'x'.repeat(limit - 5)}`)).status).toBe(200);
  });

  test.each([limit + 1, 5 * 1024 * 1024])('413 body_too_large: %d bytes', (bytes) =>
    expectRefused(sendForm(`text=${'x'.repeat(bytes - 5)}`), 413, tooLarge),
  );

  test.each([1, 50])(
    '413 body_too_large: %d times the limit in chunks, of a length nobody announced',
    async (times) => {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull: (stream) => {
          stream.enqueue(sent === 0 ? new TextEncoder().encode('text=') : new Uint8Array(limit).fill(120));
          if (++sent > times) stream.close();
        },
      });
      await expectRefused(send(kit, 'POST', '/echo', { body, contentType: form }), 413, tooLarge);
    },
  );

  test('413 body_too_large: what is left of the body is not taken for the next request', async () => {
    const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nContent-Length: ${limit + 1}\r\n\r\n`;
    const heard = await speak(kit, `${head}GET /echo HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(heard.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 413']);
    expect(heard).toMatch(/\r\nConnection: close\r\n/i);
  });
});
