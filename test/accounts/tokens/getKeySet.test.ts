import { createPublicKey } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { type z } from 'zod';
import { type KeySet } from '../../../src/accounts/tokens/tokens.schemas';
import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { keyPair } from '../../support/keys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
const keys = [keyPair('spring'), keyPair('winter')];

beforeAll(async () => (app = await startApp({ JWT_KEYS: JSON.stringify(keys.map(({ jwk }) => jwk)) })));
afterAll(() => app.stop());

const getKeys = async () => (await call<z.output<typeof KeySet>>(app, 'GET', '/.well-known/jwks.json')).body.keys;

test('200: the public halves of all keys, for an edge that verifies tokens itself', async () => {
  const { status, headers } = await call(app, 'GET', '/.well-known/jwks.json');
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
  });
  const shown = await getKeys();
  expect(shown.map(({ kid, kty, crv, use, alg }) => ({ kid, kty, crv, use, alg }))).toEqual(
    ['spring', 'winter'].map((kid) => ({ kid, kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' })),
  );
});

test('200: no private half, by any name', async () => {
  const text = JSON.stringify(await getKeys());
  expect(Object.keys((await getKeys())[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  for (const { jwk } of keys) expect(text).not.toContain(jwk.d);
});

test('200: they verify the tokens that are given out, whose claims an edge can read', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const header = jsonwebtoken.decode(consumer.token, { complete: true })?.header;
  expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'spring' });
  const jwk = (await getKeys()).find(({ kid }) => kid === header?.kid);
  const verified = jsonwebtoken.verify(consumer.token, createPublicKey({ key: { ...jwk }, format: 'jwk' }), {
    algorithms: ['ES256'],
    issuer: 'http://paywall.test',
    audience: 'paywall-api',
  });
  expect(verified).toEqual({
    sub: consumer.uuid,
    mid: merchant.uuid,
    sid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    cid: merchant.uuid,
    role: 'consumer',
    scope: '',
    iat: expect.any(Number) as number,
    exp: expect.any(Number) as number,
    iss: 'http://paywall.test',
    aud: 'paywall-api',
  });
});
