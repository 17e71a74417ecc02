import { createHash, randomBytes } from 'node:crypto';

/** A random token or password of 256 bits, for links, cookies and clients. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** The hash that is stored instead of a random secret. Such a secret cannot be guessed, so SHA-256 without a salt is enough. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
