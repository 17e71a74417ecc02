import { createHmac } from 'node:crypto';
import { config } from '../../config';
import { AppError } from '../../kit/errors';
import { networkOf } from '../../kit/hosts';
import { statement } from './statement';

/** What somebody may be guessing: `kind` names the secret, `subject` whose it is, whether or not that exists. */
export interface Guess {
  kind: 'sign-in' | 'registration' | 'password' | 'pin-code' | 'voucher' | 'access-code';
  subject: string;
  address: string;
}

interface Rule {
  freeFailures: number;
  forgetAfterSeconds: number;
}

const subjectRule: Rule = { freeFailures: 5, forgetAfterSeconds: 12 * 3600 };
/** Many people share an address: it may fail more often, and is soon forgiven. */
const addressRule: Rule = { freeFailures: config.RATE_LIMIT_FAILURES, forgetAfterSeconds: 600 };
const longestBlockSeconds = 900;
/** For so long an address where the secret was known has a count of its own: strangers cannot lock the owner out. */
const trustSeconds = 30 * 86_400;

/** Rows of `wrong_guesses`: of a subject, of the subject at an address that knew the secret, of the address. */
interface Keys {
  subject: Buffer;
  known: Buffer;
  address: Buffer;
}

/**
 * Lets a secret be guessed slowly only: five free failures, then 1 s, doubling to 15 min, counted for all replicas. What
 * came of a check is told only if the subject is not blocked by then, so that a hundred guesses at once tell no more
 * than guesses in a row. `check` answers undefined for a wrong secret. A code of a voucher or of an item is nobody's own:
 * to know one forgives no guess at another. Who registers guesses which addresses are taken: a taken one counts as wrong,
 * and one that is not is told whatever else has failed, since its account is made.
 */
export async function guess<T>(of: Guess, check: () => Promise<T | undefined>): Promise<T | undefined> {
  const keys = keysOf(of);
  const isKnown = await refuseBlocked(keys);
  const found = await check();
  if (found === undefined) await countFailure(keys, isKnown);
  else if (of.kind === 'voucher' || of.kind === 'access-code') await refuseBlocked(keys);
  else if (of.kind !== 'registration') await forgive(keys, isKnown);
  return found;
}

const blockStatement = statement<{ key: Buffer; wait_seconds: number; is_trusted: boolean }>(
  'guesses_blocked',
  `SELECT key, greatest(0, extract(epoch FROM blocked_until - now()))::float8 AS wait_seconds,
     trusted_until > now() AS is_trusted
   FROM wrong_guesses WHERE key = ANY($1)`,
);

/** Tells whether the secret was known at this address. */
async function refuseBlocked(keys: Keys): Promise<boolean> {
  const rows = await blockStatement([[keys.subject, keys.known, keys.address]]);
  const find = (key: Buffer) => rows.find((row) => row.key.equals(key));
  const isKnown = find(keys.known)?.is_trusted ?? false;
  const counted = [find(isKnown ? keys.known : keys.subject), find(keys.address)];
  refuseToWait(Math.max(...counted.map((row) => row?.wait_seconds ?? 0)));
  return isKnown;
}

// No row comes back when one is there and blocked: such a failure neither counts nor is told.
const failureStatement = statement<{ failures: number }>(
  'guesses_failed',
  `INSERT INTO wrong_guesses AS w (key, failures, failed_at) VALUES ($1, 1, now())
   ON CONFLICT (key) DO UPDATE SET
     failures = CASE WHEN w.failed_at < now() - make_interval(secs => $3) THEN 1 ELSE w.failures + 1 END,
     blocked_until = CASE WHEN w.failed_at >= now() - make_interval(secs => $3) AND w.failures >= $2::int
       THEN now() + make_interval(secs => least(power(2, least(w.failures - $2::int, 20)), $4::float8))
       ELSE '-infinity' END,
     failed_at = now()
   WHERE w.blocked_until <= now()
   RETURNING failures`,
);

async function countFailure(keys: Keys, isKnown: boolean): Promise<void> {
  for (const [key, rule] of [
    [isKnown ? keys.known : keys.subject, subjectRule],
    [keys.address, addressRule],
  ] as const) {
    const counted = await failureStatement([key, rule.freeFailures, rule.forgetAfterSeconds, longestBlockSeconds]);
    if (counted.length === 0) await refuseBlocked(keys);
  }
}

const forgiveStatement = statement<{ key: Buffer }>(
  'guesses_forgiven',
  `INSERT INTO wrong_guesses AS w (key, failures, failed_at, trusted_until)
   SELECT key, 0, now(), CASE WHEN key = $2 THEN now() + make_interval(secs => $3) ELSE '-infinity' END
   FROM unnest($1::bytea[]) AS sent (key) ORDER BY key
   ON CONFLICT (key) DO UPDATE SET failures = 0, trusted_until = excluded.trusted_until WHERE w.blocked_until <= now()
   RETURNING key`,
);

/** The right secret ends the count, and makes its address known. A stranger's count stays when it did not matter. */
async function forgive(keys: Keys, isKnown: boolean): Promise<void> {
  const counted = isKnown ? [keys.known] : [keys.subject, keys.known];
  const forgiven = await forgiveStatement([counted, keys.known, trustSeconds]);
  if (forgiven.length < counted.length) await refuseBlocked(keys);
}

function refuseToWait(seconds: number): void {
  if (seconds > 0) throw new AppError('too_many_requests', { retryAfterSeconds: Math.ceil(seconds) });
}

/** Hashed with a key: the table tells nobody who tried to sign in, from where. */
function keysOf({ kind, subject, address }: Guess): Keys {
  const network = networkOf(address);
  return {
    subject: keyOf(kind, subject),
    known: keyOf(kind, subject, network),
    address: keyOf(kind, 'address', network),
  };
}

function keyOf(...parts: string[]): Buffer {
  return createHmac('sha256', config.ENCRYPTION_KEY).update(JSON.stringify(parts)).digest();
}
