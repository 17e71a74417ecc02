import { productionSettings } from '../support/production';
import { startApp, type TestApp } from '../support/startApp';

/** The headers that protect browsers, on every kind of answer of a production service with https. */

let app: TestApp;

beforeAll(async () => (app = await startApp({ ...productionSettings(), BASE_URL: 'https://paywall.example.org' })));

afterAll(() => app.stop());

const kinds: [string, string, RequestInit][] = [
  ['an answer of the API', '/health/live', {}],
  ['a refusal', '/accounts', {}],
  ['a preflight', '/accounts', { method: 'OPTIONS' }],
  ['an address without anything', '/nothing', {}],
  ['the OpenAPI document', '/openapi.json', {}],
  ['the API reference', '/docs', {}],
  ['a page', '/console/sign-in', {}],
  ['a page that leads elsewhere', '/console', { redirect: 'manual' }],
];

test.each(kinds)('%s is for https only, for a year and all subdomains', async (_what, path, sent) => {
  const { headers } = await fetch(`${app.address}${path}`, sent);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each(kinds)('%s loads no object and has no other base address', async (_what, path, sent) => {
  const { headers } = await fetch(`${app.address}${path}`, sent);
  const policy = new Map((headers.get('content-security-policy') ?? '').split(';').map(nameAndValue));
  expect(policy.get('object-src') ?? policy.get('default-src')).toBe("'none'");
  expect(policy.get('base-uri')).toBe("'none'");
  expect(policy.get('frame-ancestors')).toMatch(/^'(?:none|self)'$/);
});

function nameAndValue(directive: string): [string, string] {
  const [name = '', ...values] = directive.trim().split(' ');
  return [name, values.join(' ')];
}
