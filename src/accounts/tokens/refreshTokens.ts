import { hkdfSync } from 'node:crypto';
import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { openWith, sealWith } from '../../kit/sealing';
import { hashOf, newSecret } from '../../kit/secrets';

/** The time in which a used refresh token can be sent again, for clients that have lost the response. */
const graceSeconds = 10;
const lifeDays = 30;

interface RefreshTokenRow {
  session_id: string;
  is_expired: boolean;
  is_spent: boolean;
  is_in_grace: boolean;
  sealed_successor: Buffer | null;
}

/** Creates an opaque token of 256 bits. Only its hash is stored. */
export async function createRefreshToken(inTransaction: Transaction, sessionId: string): Promise<string> {
  const token = newSecret();
  await execute(
    inTransaction,
    `INSERT INTO refresh_tokens (token_hash, session_id, expires_at)
     VALUES ($1, $2, now() + make_interval(days => $3))`,
    [hashOf(token), sessionId, lifeDays],
  );
  return token;
}

/** Locks a token, so that the second of two concurrent requests finds it used. Undefined if the token is not valid. */
export async function findRefreshToken(inTransaction: Transaction, token: string) {
  const [row] = await execute<RefreshTokenRow>(
    inTransaction,
    `SELECT session_id, expires_at <= now() AS is_expired, used_at IS NOT NULL AS is_spent,
       coalesce(used_at > now() - make_interval(secs => $2), false) AS is_in_grace, sealed_successor
     FROM refresh_tokens WHERE token_hash = $1 FOR UPDATE`,
    [hashOf(token), graceSeconds],
  );
  return row && !row.is_expired ? row : undefined;
}

/**
 * The successor of a token: a new one or, within the grace time, the one that was issued before. Undefined for a used
 * token after the grace time: it was stolen, or a thief has used it first (RFC 9700).
 */
export async function spendRefreshToken(
  inTransaction: Transaction,
  token: string,
  found: RefreshTokenRow,
): Promise<string | undefined> {
  if (found.is_spent) return findUnspentSuccessor(inTransaction, token, found);
  const successor = await createRefreshToken(inTransaction, found.session_id);
  await execute(
    inTransaction,
    'UPDATE refresh_tokens SET used_at = now(), sealed_successor = $2 WHERE token_hash = $1',
    [hashOf(token), sealWith(sealingKey(token), successor)],
  );
  return successor;
}

/**
 * Only the immediate predecessor has a grace time. After a use of the successor, the client has certainly received it.
 */
async function findUnspentSuccessor(inTransaction: Transaction, token: string, found: RefreshTokenRow) {
  if (!found.is_in_grace || found.sealed_successor === null) return undefined;
  const successor = openWith(sealingKey(token), found.sealed_successor);
  const next = await findRefreshToken(inTransaction, successor);
  return next && !next.is_spent ? successor : undefined;
}

/** Derived from the token itself. The database has only the hash of the token. */
function sealingKey(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', 'refresh token successor', 32));
}
