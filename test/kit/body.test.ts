import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { form, json, send, type ErrorBody } from '../support/raw';
import { startKit, type Kit } from '../support/kit';

/** Answers the fields as the schema found them. */
const Fields = z.object({ text: z.string(), short: z.string().max(9), list: z.unknown(), map: z.unknown() }).partial();
const echo = endpoint({
  method: 'post',
  path: '/echo',
  summary: 'Echo',
  auth: anyone(),
  body: Fields,
  query: z.object({ page: z.string(), search: z.unknown() }).partial(),
  status: 200,
  response: z.unknown(),
  errors: [],
  handler: ({ body, query }) => Promise.resolve({ body, query }),
});

interface Echo {
  body: { text?: string; list?: unknown; map?: unknown };
  query: Record<string, unknown>;
}

let kit: Kit;

beforeAll(async () => (kit = await startKit({ echo })));
afterAll(() => kit.stop());

const sendForm = <Body = Echo>(body: string | Buffer) => send<Body>(kit, 'POST', '/echo', { body, contentType: form });

async function fieldsOf(body: string): Promise<Echo['body']> {
  const reply = await sendForm(body);
  expect(reply.status).toBe(200);
  return reply.body.body;
}

describe('a form', () => {
  test('200: brackets nest, with the bracket written plainly or as an escape', async () => {
    expect(await fieldsOf('map[a]=1&map[b][c]=2')).toEqual({ map: { a: '1', b: { c: '2' } } });
    expect(await fieldsOf('map%5Ba%5D=1&map%5Bb%5D%5Bc%5D=2')).toEqual({ map: { a: '1', b: { c: '2' } } });
  });

  test('200: `[]`, an index, and a name sent twice are all a list', async () => {
    for (const body of ['list[]=x&list[]=y', 'list[0]=x&list[1]=y', 'list=x&list=y'])
      expect(await fieldsOf(body)).toEqual({ list: ['x', 'y'] });
    expect(await fieldsOf('list[0][name]=x&list[1][name]=y')).toEqual({ list: [{ name: 'x' }, { name: 'y' }] });
  });

  test('200: an index up to 200 is a list, past the twenty that qs allows by default', async () => {
    const body = Array.from({ length: 200 }, (_, index) => `list[${index}]=${index}`).join('&');
    expect((await fieldsOf(body)).list).toHaveLength(200);
  });

  test('200: plus and escapes are read, and so is UTF-8 that a client did not escape', async () => {
    expect(await fieldsOf('text=a+b%20c%2Bd%26%C3%A9')).toEqual({ text: 'a b c+d&é' });
    expect(await fieldsOf('text=José 🎬')).toEqual({ text: 'José 🎬' });
  });

  test('200: names that objects inherit are names like others', async () => {
    expect(await fieldsOf('map[hasOwnProperty]=1&map[toString]=2')).toEqual({
      map: { hasOwnProperty: '1', toString: '2' },
    });
  });

  test('200: an unknown field is ignored, an empty optional one is absent', async () => {
    expect(await fieldsOf('text=&list=&unknown=1&text2[x]=1')).toEqual({});
  });

  test('200: a body with nothing in it, of any type, has no fields', async () => {
    const reply = await send<Echo>(kit, 'POST', '/echo', { contentType: 'text/csv' });
    expect(reply).toMatchObject({ status: 200, body: { body: {} } });
  });

  test('200: the query is read by the same rules', async () => {
    const { body } = await send<Echo>(kit, 'POST', '/echo?page=2&search[]=title:x&search[0]=id:1&other=1');
    expect(body.query).toEqual({ page: '2', search: ['title:x', 'id:1'] });
  });
});

describe('another type', () => {
  test('200: JSON says the same as a form', async () => {
    const body = '{"text":"é","list":["x"],"map":{"a":{"b":null}}}';
    const reply = await send<Echo>(kit, 'POST', '/echo', { body, contentType: 'application/json; charset=utf-8' });
    expect(reply.body.body).toEqual({ text: 'é', list: ['x'], map: { a: { b: null } } });
  });

  test('200: multipart says the same as a form', async () => {
    const body = new FormData();
    for (const [name, value] of [
      ['text', 'a&b=é'],
      ['list[]', 'x'],
      ['map[a]', '1'],
    ] as const)
      body.append(name, value);
    const reply = await send<Echo>(kit, 'POST', '/echo', { body });
    expect(reply.body.body).toEqual({ text: 'a&b=é', list: ['x'], map: { a: '1' } });
  });

  test('200: a GET with a content type and no body is a GET', async () => {
    const reply = await send<ErrorBody>(kit, 'GET', '/echo', { contentType: 'text/plain' });
    expect(reply.status).toBe(405);
  });

  test.each(['text/plain', 'text/xml', 'application/octet-stream', 'application/jsonp', ''])(
    '415 unsupported_media_type: a body of type "%s"',
    async (contentType) => {
      const reply = await send(kit, 'POST', '/echo', { body: Buffer.from('text=1'), contentType });
      expect(reply).toMatchObject({
        status: 415,
        body: { code: 415, message: 'Unsupported Media Type', error: 'unsupported_media_type' },
      });
    },
  );

  test('400 malformed_request: a file', async () => {
    const body = new FormData();
    body.append('text', new Blob(['x']), 'x.txt');
    expect(await send(kit, 'POST', '/echo', { body })).toMatchObject({ status: 400, body: malformed });
  });

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'an end that never comes',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="text"\r\n',
    ],
    ['no part at all', 'multipart/form-data; boundary=b', 'nonsense'],
  ])('400 malformed_request: multipart with %s', async (_what, contentType, body) => {
    expect(await send(kit, 'POST', '/echo', { body, contentType })).toMatchObject({ status: 400, body: malformed });
  });

  test.each(['{', '[]', '"text"', 'null', '1', '{"text":"a"}x'])('400 malformed_request: JSON %s', async (body) => {
    expect(await send(kit, 'POST', '/echo', { body, contentType: json })).toMatchObject({
      status: 400,
      body: malformed,
    });
  });

  test.each([
    ['a form', form, 'short[length][a]=1'],
    ['JSON', json, '{"short":{"length":{"toString":1,"valueOf":1}}}'],
  ])('400 malformed_request: an object whose length cannot be compared, in %s', async (_what, contentType, body) => {
    expect(await send(kit, 'POST', '/echo', { body, contentType })).toMatchObject({ status: 400, body: malformed });
  });

  test('422: an object with a length is no text', async () => {
    for (const body of ['short[length]=1', 'short[length]=', 'short[length][]=1'])
      expect((await sendForm(body)).status).toBe(422);
    const json422 = { body: '{"short":{"length":{"a":1}}}', contentType: json };
    expect((await send(kit, 'POST', '/echo', json422)).status).toBe(422);
  });

  test.each([3, { a: 1 }])('200: a map may have a length of its own: %j', async (length) => {
    const map = { length, a: { b: 1 } };
    expect(await send<Echo>(kit, 'POST', '/echo', { body: JSON.stringify({ map }), contentType: json })).toMatchObject({
      status: 200,
      body: { body: { map } },
    });
  });

  test('400 malformed_request: JSON that is not UTF-8', async () => {
    const body = Buffer.from([...Buffer.from('{"text":"'), 0xff, ...Buffer.from('"}')]);
    expect(await send(kit, 'POST', '/echo', { body, contentType: json })).toMatchObject({
      status: 400,
      body: malformed,
    });
  });
});

const malformed = {
  code: 400,
  message: expect.stringMatching(/^Malformed request: [A-Z].*\.$/) as string,
  error: 'malformed_request',
};
