import { createHmac } from 'node:crypto';
import { config } from '../../config';
import { AppError } from '../../kit/errors';
import { networkOf } from '../../kit/hosts';
import { dataKey } from '../dataKey';
import { statementApart } from './statement';

/** A guess at a secret: its kind, its owner (who need not exist) and the address of the guess. */
export interface Attempt {
  kind:
    'sign-in' | 'registration' | 'password' | 'pin-code' | 'second-factor' | 'voucher' | 'access-code' | 'pairing-code';
  subject: string;
  address: string;
}

/** Secrets that do not belong to the subject: whoever knows one may guess at others. */
const ownerless: readonly Attempt['kind'][] = ['voucher', 'access-code', 'pairing-code'];

interface Rule {
  freeFailures: number;
  forgetAfterSeconds: number;
}

const subjectRule: Rule = { freeFailures: 5, forgetAfterSeconds: 12 * 3600 };
/** Many people share an address, so it may fail more often, and its failures expire soon. */
const addressRule: Rule = { freeFailures: config.RATE_LIMIT_FAILURES, forgetAfterSeconds: 600 };
const longestBlockSeconds = 900;
/** For this time an address that knew the secret is counted separately, so that strangers cannot lock the owner out. */
const trustSeconds = 30 * 86_400;

/** Keys in `wrong_guesses`: the subject, the subject at an address that knew the secret, and the address. */
interface Keys {
  subject: Buffer;
  known: Buffer;
  address: Buffer;
}

/**
 * Limits how fast a secret can be guessed: five free failures, then a wait of 1 s that doubles up to 15 min, counted for
 * all replicas. The result of a check is returned only if the subject is not blocked by then, so that concurrent guesses
 * reveal no more than successive ones. `check` returns undefined for a wrong secret. A correct voucher, access code or
 * code of a device forgives no earlier failures, because it does not belong to the subject. A registration reveals
 * whether an address is taken: a taken address counts as a failure, and a free one always succeeds, because its account
 * is created.
 */
export async function throttleAttempts<T>(
  attempt: Attempt,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const keys = keysOf(attempt);
  const isKnown = await refuseBlocked(keys);
  const found = await check();
  if (found === undefined) await countFailure(keys, isKnown);
  else if (ownerless.includes(attempt.kind)) await refuseBlocked(keys);
  else if (attempt.kind !== 'registration') await forgive(keys, isKnown);
  return found;
}

// A key without a block has `-infinity`, and PostgreSQL subtracts infinite times only from version 17 on.
const blockStatement = statementApart<{ key: Buffer; wait_seconds: number; is_trusted: boolean }>(
  'guesses_blocked',
  `SELECT key, extract(epoch FROM greatest(blocked_until, now()) - now())::float8 AS wait_seconds,
     trusted_until > now() AS is_trusted
   FROM wrong_guesses WHERE key = ANY($1)`,
);

/**
 * Throws if the subject or the address is blocked. Returns whether the address knew the secret before the attempt, which
 * `wasKnown` says at a later check of the same attempt.
 */
async function refuseBlocked(keys: Keys, wasKnown?: boolean): Promise<boolean> {
  const rows = await blockStatement([[keys.subject, keys.known, keys.address]]);
  const find = (key: Buffer) => rows.find((row) => row.key.equals(key));
  const isKnown = wasKnown ?? find(keys.known)?.is_trusted ?? false;
  const counted = [find(isKnown ? keys.known : keys.subject), find(keys.address)];
  refuseToWait(Math.max(...counted.map((row) => row?.wait_seconds ?? 0)));
  return isKnown;
}

// Returns no row if the key is blocked: such a failure is not counted, and its caller is refused.
const failureStatement = statementApart<{ failures: number }>(
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
    if (counted.length === 0) await refuseBlocked(keys, isKnown);
  }
}

// The address becomes known only if the count of `$1` was reset, so that no attempt during a block makes it known.
const forgiveStatement = statementApart<{ key: Buffer }>(
  'guesses_forgiven',
  `WITH forgiven AS (
     INSERT INTO wrong_guesses AS w (key, failures, failed_at, trusted_until)
     VALUES ($1, 0, now(), CASE WHEN $1::bytea = $2::bytea THEN now() + make_interval(secs => $3) ELSE '-infinity' END)
     ON CONFLICT (key) DO UPDATE SET failures = 0, trusted_until = excluded.trusted_until WHERE w.blocked_until <= now()
     RETURNING key
   ), known AS (
     INSERT INTO wrong_guesses AS w (key, failures, failed_at, trusted_until)
     SELECT $2, 0, now(), now() + make_interval(secs => $3) FROM forgiven WHERE key <> $2
     ON CONFLICT (key) DO UPDATE SET failures = 0, trusted_until = excluded.trusted_until WHERE w.blocked_until <= now()
   )
   SELECT key FROM forgiven`,
);

/** A correct secret resets the count and marks the address as known. From a known address only its own count is reset. */
async function forgive(keys: Keys, isKnown: boolean): Promise<void> {
  const forgiven = await forgiveStatement([isKnown ? keys.known : keys.subject, keys.known, trustSeconds]);
  if (forgiven.length === 0) await refuseBlocked(keys, isKnown);
}

function refuseToWait(seconds: number): void {
  if (seconds > 0) throw new AppError('too_many_requests', { retryAfterSeconds: Math.ceil(seconds) });
}

/** Keyed hashes, so that the table does not reveal who tried to sign in and from where. */
function keysOf({ kind, subject, address }: Attempt): Keys {
  const network = networkOf(address);
  return {
    subject: keyOf(kind, subject),
    known: keyOf(kind, subject, network),
    address: keyOf(kind, 'address', network),
  };
}

function keyOf(...parts: string[]): Buffer {
  return createHmac('sha256', dataKey()).update(JSON.stringify(parts)).digest();
}
