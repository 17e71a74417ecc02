import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const theirs = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

let app: TestApp;
let consumer: Person;

beforeAll(async () => {
  app = await startApp({ JWT_KEYS: JSON.stringify([{ kid: 'ours', ...ours.export({ format: 'jwk' }) }]) });
  consumer = await createConsumer(app, await createMerchant(app));
});

afterAll(() => app.stop());

type Part = Record<string, unknown>;
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (text: string | undefined) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Part;
const header = () => decode(consumer.token.split('.')[0]);
const claims = () => decode(consumer.token.split('.')[1]);

function signed(key: KeyObject, changes: { header?: Part; claims?: Part }): string {
  const text = `${encode({ ...header(), ...changes.header })}.${encode({ ...claims(), ...changes.claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function hmacSigned(secret: string | Buffer, alg = 'HS256'): string {
  const text = `${encode({ ...header(), alg })}.${encode(claims())}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const unsigned = (alg: string) => `${encode({ ...header(), alg })}.${encode(claims())}.`;
const pem = () => createPublicKey(createPrivateKey({ key: ours.export({ format: 'jwk' }), format: 'jwk' }));
const nowSeconds = Math.floor(Date.now() / 1000);

test('200: the same parts signed as they should be', async () => {
  expect((await call(app, 'GET', '/accounts', undefined, { token: signed(ours, {}) })).status).toBe(200);
});

test.each<[string, () => string]>([
  ['no signature', () => unsigned('none')],
  ['no signature, spelled otherwise', () => unsigned('nOnE')],
  ['HS256 with the public key as PEM', () => hmacSigned(pem().export({ format: 'pem', type: 'spki' }))],
  ['HS256 with the public key as DER', () => hmacSigned(pem().export({ format: 'der', type: 'spki' }))],
  ['HS256 with nothing', () => hmacSigned('')],
  ['another key under our kid', () => signed(theirs, {})],
  ['an unknown kid', () => signed(theirs, { header: { kid: 'theirs' } })],
  ['a kid that is a path', () => signed(theirs, { header: { kid: '../../../../dev/null' } })],
  ['a kid that is SQL', () => signed(theirs, { header: { kid: "' OR 1=1 --" } })],
  ['a kid that is an object', () => signed(theirs, { header: { kid: { ours: true } } })],
  ['a key in the header', () => signed(theirs, { header: { kid: 'x', jwk: theirs.export({ format: 'jwk' }) } })],
  ['a key at an address', () => signed(theirs, { header: { kid: 'x', jku: 'http://127.0.0.1:1/keys' } })],
  ['another typ', () => signed(ours, { header: { typ: 'JWT' } })],
  ['another audience', () => signed(ours, { claims: { aud: 'somebody' } })],
  ['another issuer', () => signed(ours, { claims: { iss: 'https://evil.example' } })],
  ['a past expiry', () => signed(ours, { claims: { exp: nowSeconds - 31 } })],
  ['no expiry', () => signed(ours, { claims: { exp: undefined } })],
  ['a session that is none', () => signed(ours, { claims: { sid: '00000000-0000-4000-8000-000000000000' } })],
  ['a session that is no uuid', () => signed(ours, { claims: { sid: "' OR 1=1 --" } })],
  ['a cut signature', () => consumer.token.slice(0, -4)],
  ['changed claims', () => consumer.token.replace(/\.[^.]+\./, `.${encode({ ...claims(), role: 'merchant' })}.`)],
  ['ten thousand characters', () => `${consumer.token}${'x'.repeat(10_000)}`],
  ['no token at all', () => 'nothing'],
  ['two dots', () => '..'],
])('401 invalid_auth_token: %s', async (_forgery, token) => {
  const answer = await call(app, 'GET', '/accounts', undefined, { token: token() });
  expect(answer).toMatchObject({ status: 401, body: { code: 401, message: 'Invalid auth token' } });
});

test('200: the role of a token is not believed: the account’s own counts', async () => {
  const token = signed(ours, {
    claims: { role: 'merchant', scope: 'apps:write', mid: '00000000-0000-4000-8000-000000000000' },
  });
  expect((await call(app, 'GET', '/accounts/apps', undefined, { token })).status).toBe(403);
});
