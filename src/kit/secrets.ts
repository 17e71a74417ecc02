import { createHash, randomBytes } from 'node:crypto';

/** A random token or password of 256 bits, for links, cookies and clients. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What is stored of a random secret. It needs no salt and no slow hash, because nobody can guess it. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
