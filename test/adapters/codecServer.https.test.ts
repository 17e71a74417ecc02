import { startApp, type TestApp } from '../support/startApp';

const token = 'an-operator-token-of-forty-letters-xxxxx';
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ OPERATOR_TOKEN: token, BASE_URL: 'https://paywall.example.org' });
});
afterAll(() => app.stop());

test('200: over https the cookie of an operator is for this host alone, and it is read', async () => {
  const signedIn = await fetch(`${app.address}/codec`, { method: 'POST', body: new URLSearchParams({ token }) });
  const cookie = signedIn.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(
    /^__Host-paywall_operator=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800; Secure$/,
  );
  const headers = { 'Content-Type': 'application/json', Cookie: cookie.split(';')[0] ?? '' };
  const read = await fetch(`${app.address}/codec/decode`, { method: 'POST', body: '{"payloads":[]}', headers });
  expect(await read.json()).toEqual({ payloads: [] });
});
