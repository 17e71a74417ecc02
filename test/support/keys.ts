import { generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface KeyPair {
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** As an element of `JWT_KEYS`. */
  jwk: { kid: string; d: string };
}

export function keyPair(kid: string): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { d = '', ...rest } = privateKey.export({ format: 'jwk' });
  return { privateKey, publicKey, jwk: { ...rest, d, kid } };
}
