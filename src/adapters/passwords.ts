import { createHmac } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { config } from '../config';
import { WorkQueue } from '../kit/concurrency';
import { newSecret } from '../kit/secrets';
import { type Pepper } from '../kit/settings';

// argon2id, the library's default, with the parameters of OWASP and ASVS: 13 ms per hash. Two hashes run at once and
// the queue is bounded, because many sign-ins at once would otherwise use up the processor.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const hashes = new WorkQueue(2, 64);

/** The current pepper; without one, the library's hashes are stored as they are. */
const pepper = config.PASSWORD_PEPPER[0];

/** The library's text, after `p<version>` of the pepper that it contains. */
export async function hashPassword(password: string): Promise<string> {
  const made = await hashes.run(() => hash(mixed(password, pepper?.secret), parameters));
  return pepper ? `p${pepper.version}${made}` : made;
}

/** The hash has weaker parameters than today's, or another pepper. It is replaced when its owner signs in. */
export function isOutdated(passwordHash: string): boolean {
  const found = /^(?:p(\d+))?\$argon2id\$v=\d+\$m=(\d+),t=(\d+),p=\d+\$/.exec(passwordHash);
  if (!found || Number(found[2]) < parameters.memoryCost || Number(found[3]) < parameters.timeCost) return true;
  return found[1] !== pepper?.version.toString();
}

const unusableStart = 'none:';

/** Stored in place of a hash for an account without a password. It is new each time, so that a later change is noticed. */
export const unusablePassword = (): string => `${unusableStart}${newSecret()}`;

export const isUsable = (passwordHash: string): boolean => !passwordHash.startsWith(unusableStart);

/** Takes the same time for an account that does not exist (`undefined`), or has no password, as for one that does. */
export async function verifyPassword(passwordHash: string | undefined, password: string): Promise<boolean> {
  const known = passwordHash === undefined || !isUsable(passwordHash) ? undefined : readHash(passwordHash);
  const matches = await hashes.run(async () =>
    verify(known?.made ?? (await dummyHash()), mixed(password, known?.pepper?.secret)),
  );
  return known !== undefined && matches;
}

/** Undefined for a hash whose pepper is no longer in the settings: no password matches it. */
function readHash(passwordHash: string): { made: string; pepper: Pepper | undefined } | undefined {
  const [, version, made = ''] = /^(?:p(\d+))?(.*)$/s.exec(passwordHash) ?? [];
  if (version === undefined) return { made, pepper: undefined };
  const named = config.PASSWORD_PEPPER.find((known) => known.version === Number(version));
  return named && { made, pepper: named };
}

/**
 * Tells for each version of the pepper whether two installations have the same secret, and reveals nothing about it to
 * anybody who does not know the secret.
 */
export const pepperChecks = (): Map<number, string> =>
  new Map(
    config.PASSWORD_PEPPER.map(({ version, secret }) => [
      version,
      createHmac('sha256', secret).update('the same pepper').digest('hex').slice(0, 16),
    ]),
  );

function mixed(password: string, secret: string | undefined): string {
  const text = password.normalize('NFKC');
  return secret ? createHmac('sha256', secret).update(text).digest('base64') : text;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= hash('no account has this password', parameters);
  return dummy;
}
