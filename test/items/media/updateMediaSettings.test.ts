import { generateKeyPairSync } from 'node:crypto';
import { call } from '../../support/client';
import { createMerchant, createShop } from '../../support/factories';
import { keyPairId, keys, mediaHost, mediaSecret, setMedia } from '../../support/mediaSettings';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const errorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error, errors = {} } = body as ErrorBody;
  return [status, error, ...Object.keys(errors)];
};

test('200: no secret is answered, and none lies readable in the database or in the audit log', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await setMedia(app, { merchant });
  expect([status, body]).toEqual([
    200,
    {
      has_media_secret: true,
      cloudfront_key_pair_id: keyPairId,
      has_cloudfront_private_key: true,
      cloudfront_hosts: [mediaHost],
    },
  ]);
  const { rows } = await app.pool.query<{ kept: string }>(
    `SELECT m::text || (SELECT coalesce(string_agg(a::text, ''), '') FROM audit_log a) AS kept FROM media_settings m`,
  );
  const kept = rows.map((row) => row.kept).join();
  for (const secret of [mediaSecret, keys.privateKey.split('\n')[1] ?? ''])
    for (const spelled of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
      expect(kept).not.toContain(spelled);
});

test('200: what is not sent stays; a key pasted into one line is read', async () => {
  const merchant = await createMerchant(app);
  await setMedia(app, { merchant }, { cloudfront_private_key: keys.privateKey.replaceAll('\n', '\\n') });
  const { body } = await call(app, 'PUT', '/items/media/settings', { cloudfront_hosts: 'A.Example.org' }, merchant);
  expect(body).toMatchObject({
    has_media_secret: true,
    has_cloudfront_private_key: true,
    cloudfront_hosts: ['a.example.org'],
  });
});

test('400 missing_parameter: half of a key pair', async () => {
  const { merchant } = await createShop(app);
  const half = { cloudfront_private_key: undefined };
  expect(errorOf(await setMedia(app, { merchant }, half))).toEqual([
    400,
    'missing_parameter',
    'cloudfront_private_key',
  ]);
  const other = { cloudfront_key_pair_id: undefined };
  expect(errorOf(await setMedia(app, { merchant }, other))).toEqual([
    400,
    'missing_parameter',
    'cloudfront_key_pair_id',
  ]);
});

const pem = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const;

test.each([
  ['cloudfront_private_key', 'no key'],
  ['cloudfront_private_key', generateKeyPairSync('ec', { namedCurve: 'P-256', ...pem }).privateKey],
  ['cloudfront_private_key', generateKeyPairSync('rsa', { modulusLength: 1024, ...pem }).privateKey],
  ['cloudfront_key_pair_id', 'a b'],
  ['media_secret', 'short'],
])('422 invalid_input: %s %#', async (field, value) => {
  const { merchant } = await createShop(app);
  expect(errorOf(await setMedia(app, { merchant }, { [field]: value }))).toEqual([422, 'invalid_input', field]);
});

test.each(['https://media.example.org', 'localhost', '*.example.org', 'a b.example'])(
  '422 invalid_input: the host %s',
  async (host) => {
    const merchant = await createMerchant(app);
    const reply = await setMedia(app, { merchant }, { cloudfront_hosts: [host] });
    expect(errorOf(reply)).toEqual([422, 'invalid_input', 'cloudfront_hosts.0']);
  },
);
