import { randomBytes } from 'node:crypto';

/**
 * A public id that clients store and nobody can guess: `<prefix>-<random>`, with `-<suffix>` if given. The random part
 * is 22 letters and digits, so that only hyphens separate the parts.
 */
export function publicToken(prefix: string, suffix?: string): string {
  const random = randomBytes(16).toString('base64url').replaceAll(/[-_]/g, 'x');
  return [prefix, random, ...(suffix === undefined ? [] : [suffix])].join('-');
}
