import jsonwebtoken from 'jsonwebtoken';
import { z } from 'zod';
import { config } from '../config';
import { AppError } from '../kit/errors';
import { SigningKeys } from './signingKeys';

const audience = 'paywall-api';
const typ = 'at+jwt';
const tokenLengthMax = 4096;
/**
 * A token that opens the channel of events, for clients that can send it only in the address. It is not valid for
 * anything else.
 */
const channel = { typ: 'channel+jwt', audience: 'paywall-channel' };

/** The claims that this service reads. Other claims are for edge servers, which verify tokens themselves. */
const Claims = z.object({
  sub: z.uuid(),
  mid: z.uuid(),
  sid: z.uuid(),
  role: z.string(),
  exp: z.int(),
  /** A profile of the account. */
  pid: z.int().optional(),
});
type AccessTokenClaims = z.output<typeof Claims>;
const ChannelClaims = z.object({ sub: z.uuid(), sid: z.uuid() });

export interface NewAccessToken extends AccessTokenClaims {
  /** The client id. */
  cid: string;
  /** Separated by blanks. */
  scope: string;
  /** The account that acts as `sub`. */
  act?: { sub: string };
}

/**
 * Verified tokens by their signature, in the order of verification. A cached look-up takes a tenth of the time of a
 * verification.
 */
const verified = new Map<string, { token: string; claims: AccessTokenClaims }>();
const verifiedMax = 20_000;
const signatureLength = 86;
const keys = new SigningKeys(config.JWT_KEYS, config.JWT_KEYS_FILE, () => verified.clear());

/** An ES256 access token. `exp` is Unix time. */
export function signAccessToken(claims: NewAccessToken): string {
  const signing = keys.signing();
  return jsonwebtoken.sign({ ...claims, iat: Math.floor(Date.now() / 1000) }, signing.privateKey, {
    algorithm: 'ES256',
    issuer: config.BASE_URL,
    audience,
    header: { alg: 'ES256', kid: signing.kid, typ },
  });
}

/** A token for one profile of the account of the given token. Both expire at the same time. */
export function signProfileToken(token: string, pid: number): { accessToken: string; expiresAtSeconds: number } {
  const { exp } = verifyAccessToken(token);
  const claims = jsonwebtoken.decode(token, { json: true });
  const signing = keys.signing();
  const header = { alg: 'ES256', kid: signing.kid, typ };
  const accessToken = jsonwebtoken.sign({ ...claims, pid }, signing.privateKey, { algorithm: 'ES256', header });
  return { accessToken, expiresAtSeconds: exp };
}

/** A token for another service, which verifies it by our public keys. Its `typ` and audience are not valid for this API. */
export function signForeignToken(
  claims: Record<string, unknown> & { exp: number },
  reader: { typ: string; audience: string },
): string {
  const signing = keys.signing();
  return jsonwebtoken.sign({ ...claims, iat: Math.floor(Date.now() / 1000) }, signing.privateKey, {
    algorithm: 'ES256',
    issuer: config.BASE_URL,
    audience: reader.audience,
    header: { alg: 'ES256', kid: signing.kid, typ: reader.typ },
  });
}

/** The claims of a token that this service signed and that has not expired. The session is checked by the caller. */
export function verifyAccessToken(token: string): AccessTokenClaims {
  keys.keepCurrent();
  const signature = token.slice(-signatureLength);
  const known = verified.get(signature);
  if (known?.token === token && known.claims.exp > Date.now() / 1000) return known.claims;
  const claims = readToken(token, Claims, { typ, audience });
  verified.delete(signature);
  verified.set(signature, { token, claims });
  if (verified.size > verifiedMax) {
    const [oldest = ''] = verified.keys();
    verified.delete(oldest);
  }
  return claims;
}

/**
 * A token for the channel of events. `sub` is the account, `sid` the session whose end also ends the token, `exp` Unix
 * time.
 */
export function signChannelToken(claims: { sub: string; sid: string; exp: number }): string {
  return signForeignToken(claims, channel);
}

/** The claims of a channel token that has not expired. Throws `invalid_auth_token`. */
export function verifyChannelToken(token: string): z.output<typeof ChannelClaims> {
  keys.keepCurrent();
  return readToken(token, ChannelClaims, channel);
}

function readToken<C>(token: string, claims: z.ZodType<C>, expected: { typ: string; audience: string }): C {
  if (token.length > tokenLengthMax) throw new AppError('invalid_auth_token');
  try {
    const decoded = jsonwebtoken.decode(token, { complete: true });
    const key = keys.find(decoded?.header.kid);
    // jsonwebtoken does not compare `typ`: without this, one kind of token could pass as another.
    if (!key || decoded?.header.typ !== expected.typ) throw new AppError('invalid_auth_token');
    const checks = { algorithms: ['ES256' as const], issuer: config.BASE_URL, clockTolerance: 30 };
    return claims.parse(jsonwebtoken.verify(token, key.publicKey, { ...checks, audience: expected.audience }));
  } catch {
    throw new AppError('invalid_auth_token');
  }
}

/** RFC 7517: the keys that an edge server needs to verify tokens itself. */
export function publicKeys() {
  return keys.all().map(({ kid, publicKey }) => {
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return { kty: String(kty), crv: String(crv), x: String(x), y: String(y), kid, use: 'sig', alg: 'ES256' };
  });
}
