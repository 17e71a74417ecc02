import { createHash } from 'node:crypto';
import { openIdConnect } from '../../src/adapters/socialProviders/openIdConnect';
import { type SocialProfile } from '../../src/adapters/socialProviders/provider';
import { signedByAnother, startIdTokenIssuer, type Claims, type IdTokenIssuer } from '../support/idTokenIssuer';

let issuer: IdTokenIssuer;

beforeEach(async () => (issuer = await startIdTokenIssuer()));

afterEach(() => issuer.stop());

const clientId = 'paywall';
const verifier = 'v'.repeat(43);
const nonce = createHash('sha256').update(`nonce ${verifier}`).digest('base64url');
const client = () =>
  openIdConnect({ name: 'acme', issuer: issuer.address, client_id: clientId, client_secret: 'a-secret' });

/** Returns with a code, for which the provider issues the token that `write` makes. */
function comeBack(write: (claims: Claims) => string): Promise<SocialProfile> {
  issuer.write = (claims) => write({ ...claims, aud: clientId, nonce });
  const callback = new URL('http://paywall.test/accounts/social/acme/callback?code=c&state=s');
  return client().getProfile({ callback, state: 's', verifier });
}

test('an ID token that the provider signed tells who the person is', async () => {
  const claims = { email: 'ana@example.org', email_verified: true, name: 'Ana Petrova' };
  const profile = await comeBack((given) => issuer.signed({ ...given, ...claims }));
  expect(profile).toEqual({ subject: 'ana', email: 'ana@example.org', emailIsVerified: true, name: 'Ana Petrova' });
});

const unsigned = (claims: Claims) =>
  `${[{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

test.each<[string, (claims: Claims) => string]>([
  ['signed by another key', signedByAnother],
  ['without a signature', unsigned],
  ['changed after it was signed', (claims) => issuer.signed(claims).replace(/\.[^.]+\./, `.${bodyOf(claims)}.`)],
  ['for another client', (claims) => issuer.signed({ ...claims, aud: 'somebody' })],
  ['of another issuer', (claims) => issuer.signed({ ...claims, iss: 'https://other.example.org' })],
  ['of another sign-in', (claims) => issuer.signed({ ...claims, nonce: 'another' })],
  ['that has expired', (claims) => issuer.signed({ ...claims, exp: Math.floor(Date.now() / 1000) - 60 })],
])('server_error: an ID token %s signs nobody in', async (_what, write) => {
  await expect(comeBack(write)).rejects.toMatchObject({ name: 'SocialRefusal', reason: 'server_error' });
});

function bodyOf(claims: Claims): string {
  return Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url');
}

test('social_provider_unavailable: metadata that name another issuer are refused', async () => {
  issuer.issuer = 'https://other.example.org';
  const flow = { callback: new URL('http://paywall.test/callback'), state: 's', verifier };
  await expect(client().authorizationUrl(flow)).rejects.toMatchObject({ code: 'social_provider_unavailable' });
});
