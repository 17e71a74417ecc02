import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { signedByAnother, startIdTokenIssuer, type Claims, type IdTokenIssuer } from '../support/idTokenIssuer';

process.env['WEBHOOK_ALLOW_PRIVATE'] = 'true';

let issuer: IdTokenIssuer;

beforeEach(async () => (issuer = await startIdTokenIssuer()));

afterEach(() => issuer.stop());

const clientId = 'paywall';
const verifier = 'v'.repeat(43);
const nonce = createHash('sha256').update(`nonce ${verifier}`).digest('base64url');
const flow = { state: 's', verifier, isFresh: false };
const settings = () => ({ issuer: issuer.address, clientId, clientSecret: 'a-secret' });
const now = () => Math.floor(Date.now() / 1000);

/** Returns with a code, for which the provider issues the token that `write` makes. */
async function comeBack(write: (claims: Claims) => string, isFresh = false) {
  const { getProfile } = await import('../../src/adapters/companyProviders/index.js');
  issuer.write = (claims) => write({ ...claims, aud: clientId, nonce });
  const callback = new URL('http://paywall.test/accounts/company/x/callback?code=c&state=s');
  return getProfile(settings(), { ...flow, isFresh, callback });
}

const signed = (more: Claims) => (claims: Claims) => issuer.signed({ ...claims, ...more });

test('each sign-in has a nonce of its own, which the state does not tell', async () => {
  const { authorizationUrl } = await import('../../src/adapters/companyProviders/index.js');
  const nonceAt = async (ownVerifier: string) => {
    const callback = new URL('http://paywall.test/accounts/company/x/callback');
    const address = await authorizationUrl(settings(), { ...flow, verifier: ownVerifier, callback });
    return address.searchParams.get('nonce');
  };
  expect(await nonceAt(verifier)).toBe(nonce);
  expect(await nonceAt('w'.repeat(43))).not.toBe(nonce);
});

test('an ID token tells who the person is and when the provider asked', async () => {
  const at = now();
  const told = { email: 'ana@example.org', email_verified: true, name: 'Ana', auth_time: at };
  expect(await comeBack(signed(told))).toEqual({
    issuer: issuer.address,
    subject: 'ana',
    email: 'ana@example.org',
    emailIsVerified: true,
    name: 'Ana',
    hasSecondFactor: false,
    signedInAt: new Date(at * 1000),
  });
});

test('a time of the future counts as the present, so that no confirmation lasts longer than others', async () => {
  const before = Date.now();
  const { signedInAt } = await comeBack(signed({ email: 'ana@example.org', auth_time: now() + 86_400 }));
  expect(signedInAt?.getTime()).toBeGreaterThanOrEqual(before);
  expect(signedInAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test.each<[boolean, Claims]>([
  [true, { amr: ['pwd', 'mfa'] }],
  [true, { acr: 'https://refeds.org/profile/mfa' }],
  [true, { acr: 'phr' }],
  [false, { amr: ['pwd'] }],
  [false, { amr: 'mfa' }],
  [false, { acr: '1' }],
  [false, {}],
])('a second factor is %s with %j', async (hasSecondFactor, claims) => {
  expect(await comeBack(signed({ email: 'ana@example.org', ...claims }))).toMatchObject({ hasSecondFactor });
});

const unsigned = (claims: Claims) =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

test.each<[string, (claims: Claims) => string]>([
  ['signed by another key', signedByAnother],
  ['without a signature', unsigned],
  ['for another client', signed({ aud: 'somebody' })],
  ['of another issuer', signed({ iss: 'https://other.example.org' })],
  ['of another sign-in', signed({ nonce: 'another' })],
  ['that has expired', signed({ exp: now() - 60 })],
])('answer_invalid: an ID token %s signs nobody in', async (_what, write) => {
  await expect(comeBack(write)).rejects.toMatchObject({ name: 'CompanyProviderError', fault: 'answer_invalid' });
});

test.each<[string, Claims]>([
  ['no time', {}],
  ['an earlier time', { auth_time: now() - 3600 }],
])('answer_invalid: a sign-in that must be fresh, and %s at which the provider asked', async (_what, claims) => {
  await expect(comeBack(signed({ email: 'ana@example.org', ...claims }), true)).rejects.toMatchObject({
    fault: 'answer_invalid',
  });
});

test('provider_unavailable: the provider is down', async () => {
  const { authorizationUrl } = await import('../../src/adapters/companyProviders/index.js');
  const callback = new URL('http://paywall.test/callback');
  const down = { ...settings(), issuer: 'http://127.0.0.1:9' };
  await expect(authorizationUrl(down, { ...flow, callback })).rejects.toMatchObject({ fault: 'provider_unavailable' });
});

test('provider_mismatch: metadata that name another issuer, also if the address is that of the metadata', async () => {
  const { authorizationUrl } = await import('../../src/adapters/companyProviders/index.js');
  const callback = new URL('http://paywall.test/callback');
  const address = issuer.address;
  issuer.issuer = 'https://other.example.org';
  for (const named of [address, `${address}/.well-known/openid-configuration`])
    await expect(authorizationUrl({ ...settings(), issuer: named }, { ...flow, callback })).rejects.toMatchObject({
      fault: 'provider_mismatch',
    });
});

describe('a request to a provider', () => {
  const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
  const load = () => import('../../src/adapters/companyProviders/guardedFetch.js');

  test('refuses an answer without end', async () => {
    const { guardedFetch } = await load();
    issuer.issuer = 'x'.repeat(600_000);
    const address = `${issuer.address}/.well-known/openid-configuration`;
    await expect(guardedFetch(address, options)).rejects.toThrow('too long');
  });

  test('follows no redirect', async () => {
    const { guardedFetch } = await load();
    const paths: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      paths.push(url);
      response.writeHead(302, { Location: '/inside' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await guardedFetch(`http://127.0.0.1:${port}/start`, options);
    expect([answer.status, answer.headers.get('location'), paths]).toEqual([302, '/inside', ['/start']]);
    server.close();
    await once(server, 'close');
  });
});
