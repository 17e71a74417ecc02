import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import jsonwebtoken from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { config } from '../config';
import { AppError } from '../kit/errors';

const audience = 'paywall-api';
const typ = 'at+jwt';
const tokenLengthMax = 4096;

const Claims = z.object({ sub: z.uuid(), mid: z.uuid(), sid: z.uuid(), role: z.string(), exp: z.int() });
export type AccessTokenClaims = z.output<typeof Claims>;

const PrivateJwk = z.looseObject({
  kid: z.string().min(1),
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  d: z.string(),
});

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

// The first key signs; all verify. Keys are KeyObjects because a text is parsed again at every call, four times slower.
const keys = readKeys(config.JWT_KEYS);

/** ES256 access token (decisions 3). `expiresAtSeconds` is Unix time. */
export function signAccessToken(claims: AccessTokenClaims): string {
  const [signing] = keys;
  return jsonwebtoken.sign({ ...claims, iat: Math.floor(Date.now() / 1000) }, signing.privateKey, {
    algorithm: 'ES256',
    issuer: config.BASE_URL,
    audience,
    header: { alg: 'ES256', kid: signing.kid, typ },
  });
}

const verified = new LRUCache<string, AccessTokenClaims>({ max: 20_000 });

/** The claims of a token that this service signed and that has not expired; its session is checked elsewhere. */
export function verifyAccessToken(token: string): AccessTokenClaims {
  const known = verified.get(token);
  if (known && known.exp > Date.now() / 1000) return known;
  const claims = readToken(token);
  verified.set(token, claims);
  return claims;
}

function readToken(token: string): AccessTokenClaims {
  if (token.length > tokenLengthMax) throw new AppError('invalid_auth_token');
  try {
    const decoded = jsonwebtoken.decode(token, { complete: true });
    const key = keys.find(({ kid }) => kid === decoded?.header.kid);
    // jsonwebtoken does not compare `typ`: without this, another token of ours could pass as an access token.
    if (!key || decoded?.header.typ !== typ) throw new AppError('invalid_auth_token');
    const options = { algorithms: ['ES256' as const], issuer: config.BASE_URL, audience, clockTolerance: 30 };
    return Claims.parse(jsonwebtoken.verify(token, key.publicKey, options));
  } catch {
    throw new AppError('invalid_auth_token');
  }
}

/** RFC 7517: what an edge needs to verify tokens itself. */
export function publicKeys() {
  return keys.map(({ kid, publicKey }) => {
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return { kty: String(kty), crv: String(crv), x: String(x), y: String(y), kid, use: 'sig', alg: 'ES256' };
  });
}

function readKeys(text: string | undefined): [SigningKey, ...SigningKey[]] {
  if (text === undefined) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return [{ kid: 'process', privateKey, publicKey }];
  }
  const [first, ...others] = parseKeys(text);
  if (!first) throw new Error('JWT_KEYS: needs at least one key');
  return [first, ...others];
}

function parseKeys(text: string): SigningKey[] {
  try {
    return z
      .array(PrivateJwk)
      .parse(JSON.parse(text))
      .map((jwk) => {
        const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
        return { kid: jwk.kid, privateKey, publicKey: createPublicKey(privateKey) };
      });
  } catch {
    throw new Error('JWT_KEYS: must be a JSON array of private P-256 JWKs, each with a kid');
  }
}
