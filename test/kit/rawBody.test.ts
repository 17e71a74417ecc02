import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { startKit, type Kit } from '../support/kit';
import { send } from '../support/raw';

const notify = endpoint({
  method: 'post',
  path: '/notify',
  summary: 'Takes what is signed as a whole',
  auth: anyone(),
  rawBodyMax: 1_000,
  status: 200,
  response: z.unknown(),
  errors: [],
  handler: ({ request: { raw } }) =>
    Promise.resolve({ bytes: raw?.body.toString('base64'), type: raw?.headers['content-type'] }),
});

let kit: Kit;
beforeAll(async () => (kit = await startKit({ notify })));
afterAll(() => kit.stop());

const post = (body: Buffer, contentType: string) => send<object>(kit, 'POST', '/notify', { body, contentType });

test.each([
  ['application/json', '{"a": 1,\n"b": "4242424242424242"}'],
  ['text/plain', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'],
  ['application/json', '{not JSON'],
  ['application/octet-stream', '\u0000\u0001'],
])('200: a body of %s comes as it was sent', async (contentType, text) => {
  const body = Buffer.from(text);
  expect(await post(body, contentType)).toMatchObject({
    status: 200,
    body: { bytes: body.toString('base64'), type: contentType },
  });
});

test('413 body_too_large: more than the endpoint takes', async () => {
  expect((await post(Buffer.alloc(1_000), 'text/plain')).status).toBe(200);
  expect(await post(Buffer.alloc(1_001), 'text/plain')).toMatchObject({
    status: 413,
    body: { error: 'body_too_large' },
  });
});
