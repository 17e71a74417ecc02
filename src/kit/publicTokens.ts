import { randomBytes } from 'node:crypto';

/**
 * A name that clients keep and nobody can guess: `<prefix>-<random>`, and `-<suffix>` where there is one. The random part is
 * 22 letters and digits, so that the hyphens part it from the rest.
 */
export function publicToken(prefix: string, suffix?: string): string {
  const random = randomBytes(16).toString('base64url').replaceAll(/[-_]/g, 'x');
  return [prefix, random, ...(suffix === undefined ? [] : [suffix])].join('-');
}
