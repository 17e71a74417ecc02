import { z } from 'zod';
import { statement, statementApart } from '../../adapters/postgres/statement';
import { baseUrl } from '../../adapters/settings';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { knownVisitor } from '../../kit/pages/session';
import { hashOf } from '../../kit/secrets';

/**
 * The random bytes that an authenticator signs. A challenge works once, for five minutes, and for one purpose: in one
 * session, or for a sign-in at one client. On our pages, only the browser that received it can use it.
 */

export const lifetimeMinutes = 5;

export type Use =
  | { purpose: 'create' | 'confirm'; sessionId: string }
  | { purpose: 'sign_in'; clientId: string; request: Pick<RequestFacts, 'cookies'> };

const insertStatement = statement(
  'passkey_challenge_create',
  `INSERT INTO passkey_challenges (purpose, session_id, client_id, visitor_hash, challenge_hash, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => $6))`,
);

const openStatement = statement(
  'passkey_challenge_open',
  `SELECT FROM passkey_challenges WHERE challenge_hash = $5 AND purpose = $1 AND session_id IS NOT DISTINCT FROM $2::uuid
     AND client_id IS NOT DISTINCT FROM $3::text AND visitor_hash IS NOT DISTINCT FROM $4::bytea AND expires_at > now()`,
);

const takeText = 'DELETE FROM passkey_challenges WHERE challenge_hash = $1 RETURNING purpose';
const takeStatement = statement('passkey_challenge_take', takeText);
// A separate transaction: the challenge stays used even if the request fails.
const burnStatement = statementApart('passkey_challenge_burn', takeText);

export async function keepChallenge(use: Use, challenge: string): Promise<void> {
  await insertStatement([...boundTo(use), hashOf(challenge), lifetimeMinutes]);
}

/**
 * Runs the check of an answer with the challenge that the authenticator has signed, and uses the challenge up. Throws
 * `passkey_invalid` if the challenge is for another use. The writes of a failed check are rolled back.
 */
export async function answerChallenge<T>(
  use: Use,
  clientDataJSON: string,
  check: (challenge: string) => Promise<T>,
): Promise<T> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === undefined) throw new AppError('passkey_invalid');
  const hash = hashOf(challenge);
  let checked: T;
  try {
    if ((await openStatement([...boundTo(use), hash])).length === 0) throw new AppError('passkey_invalid');
    checked = await check(challenge);
  } catch (error) {
    await burnStatement([hash]);
    throw error;
  }
  // Of several requests with the same answer, the first one uses the challenge.
  if ((await takeStatement([hash])).length === 0) throw new AppError('passkey_invalid');
  return checked;
}

const ClientData = z.object({ challenge: z.string().min(1).max(200) });

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    return ClientData.safeParse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).data?.challenge;
  } catch {
    return undefined;
  }
}

function boundTo(use: Use): unknown[] {
  if (use.purpose !== 'sign_in') return [use.purpose, use.sessionId, null, null];
  const visitor = knownVisitor(use.request.cookies, baseUrl.startsWith('https:'));
  return [use.purpose, null, use.clientId.toLowerCase(), visitor === undefined ? null : hashOf(visitor)];
}
