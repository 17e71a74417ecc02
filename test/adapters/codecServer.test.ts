import type * as Codec from '../../src/adapters/payloadCodec';
import { startApp, type TestApp } from '../support/startApp';

/** Temporal's remote codec protocol, as the Temporal UI and the `temporal` command speak it. */

const token = 'an-operator-token-of-forty-letters-xxxxx';
const ui = 'http://temporal.test:8233';
let app: TestApp;
let codec: typeof Codec;

beforeAll(async () => {
  app = await startApp({ OPERATOR_TOKEN: token, TEMPORAL_UI_URL: ui });
  codec = await import('../../src/adapters/payloadCodec.js');
});

afterAll(() => app.stop());

const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64');
const plain = { metadata: { encoding: base64('json/plain') }, data: base64('"of an account"') };

async function sealed() {
  const given = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"of an account"') };
  const [made] = await codec.readingCodec.encode([given]);
  const fields = Object.entries(made?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)] as const);
  return { metadata: Object.fromEntries(fields), data: base64(made?.data ?? '') };
}

function post(path: string, body: unknown, headers: Record<string, string> = {}, to: TestApp = app) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = { 'Content-Type': 'application/json', 'X-Namespace': 'default', ...headers };
  return fetch(`${to.address}${path}`, { method: 'POST', body: text, headers: all });
}

const bearer = { Authorization: `Bearer ${token}` };

test('200: an operator reads sealed and plain payloads', async () => {
  const answer = await post('/codec/decode', { payloads: [await sealed(), plain] }, { ...bearer, Origin: ui });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ payloads: [plain, plain] });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ui);
  expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('200: what an operator sends is sealed', async () => {
  const encoded = (await (await post('/codec/encode', { payloads: [plain] }, bearer)).json()) as {
    payloads: unknown[];
  };
  expect(JSON.stringify(encoded)).not.toContain(plain.data);
  const decoded = await post('/codec/decode', encoded, bearer);
  expect(await decoded.json()).toEqual({ payloads: [plain] });
});

test.each([
  ['no token', {}],
  ['another token', { Authorization: `Bearer ${token}x` }],
  ['no cookie of ours', { Cookie: 'paywall_operator=99999999999.forged' }],
])('401: %s', async (_what, headers) => {
  const answer = await post('/codec/decode', { payloads: [await sealed()] }, headers);
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain(plain.data);
});

test('403: another page of the operator’s browser', async () => {
  const answer = await post('/codec/decode', { payloads: [] }, { ...bearer, Origin: 'http://elsewhere.test' });
  expect(answer.status).toBe(403);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('204: the preflight of the UI', async () => {
  const answer = await fetch(`${app.address}/codec/decode`, { method: 'OPTIONS', headers: { Origin: ui } });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-headers')).toContain('X-Namespace');
});

test.each(['', '{', '[]', '{}', '{"payloads":1}', '{"payloads":[1]}', '{"payloads":[{"metadata":{"encoding":1}}]}'])(
  '400: %s',
  async (body) => expect((await post('/codec/decode', body, bearer)).status).toBe(400),
);

describe('the page for browsers, whose UI cannot send a token', () => {
  const signIn = (entered: string) =>
    fetch(`${app.address}/codec`, { method: 'POST', body: new URLSearchParams({ token: entered }) });

  test('200: asks for the token', async () => {
    const page = await fetch(`${app.address}/codec`);
    expect(await page.text()).toContain('OPERATOR_TOKEN');
  });

  test('401: another token opens nothing', async () => {
    const answer = await signIn('guess');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('200: the token opens it for the UI’s requests from this browser', async () => {
    const answer = await signIn(token);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/Path=\/; HttpOnly; SameSite=Strict/);
    expect(cookie).not.toContain(token);
    const [pair = ''] = cookie.split(';');
    const headers = { Cookie: `other=1; ${pair}`, Origin: ui };
    const read = await post('/codec/decode', { payloads: [await sealed()] }, headers);
    expect(await read.json()).toEqual({ payloads: [plain] });
    const later = pair.replace(/=(\d+)/, (_all, expires: string) => `=${Number(expires) + 1}`);
    expect((await post('/codec/decode', { payloads: [] }, { Cookie: later })).status).toBe(401);
  });
});
