import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { publicKeys, signAccessToken, verifyAccessToken } from '../../adapters/jwt';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { scopes, type Caller, type Role } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { unixSeconds } from '../../kit/time';
import { RefreshToken, Session } from './model';
import { type IssuedTokens } from './schemas';

const sessionDays = 30;
const refreshDays = 30;
/** How long a replica may go on trusting a session it has seen: the bound on a revocation whose NOTIFY was lost. */
const sessionCacheMs = 5_000;
const sessionCacheMax = 50_000;

interface TokenHolder {
  id: number;
  uuid: string;
  merchantId: number;
  merchantUuid: string;
  role: Role;
}

interface CachedCaller {
  caller: Omit<Caller, 'clientAddress'>;
  readAtMs: number;
}

const openSessions = new Map<string, CachedCaller>();

export function getKeySet() {
  return { keys: publicKeys() };
}

/** A session row stands behind every token, so that ending it ends the token on every replica. */
export function openSession(account: TokenHolder, clientId: string): Promise<IssuedTokens> {
  return transaction(async (inTransaction) => {
    const session = await Session.create(
      {
        id: randomUUID(),
        merchantId: account.merchantId,
        accountId: account.id,
        clientId,
        expiresAt: inDays(sessionDays),
      },
      { transaction: inTransaction },
    );
    return issue(account, session, await createRefreshToken(session.id, inTransaction));
  });
}

/** Who a token speaks for, as long as its session lives. Throws `invalid_auth_token`. */
export async function getCaller(token: string | undefined, clientAddress: string): Promise<Caller> {
  if (token === undefined) throw new AppError('invalid_auth_token');
  const { sid } = verifyAccessToken(token);
  const known = openSessions.get(sid);
  const isFresh = known !== undefined && Date.now() - known.readAtMs < sessionCacheMs;
  const { caller } = isFresh ? known : await readSession(sid);
  return { ...caller, clientAddress };
}

/** Drops a session from this replica's memory: some replica has ended it. */
export function forgetSession(sessionId: string): void {
  openSessions.delete(sessionId);
}

export function forgetAllSessions(): void {
  openSessions.clear();
}

export async function endSession(token: string | undefined): Promise<void> {
  const sessionId = sessionIdOf(token);
  if (sessionId === undefined) return;
  await transaction((inTransaction) => revoke(sessionId, inTransaction));
  forgetSession(sessionId);
}

/**
 * A refresh token serves once and gives its successor. A spent one that comes back was stolen, or its thief was first:
 * its whole family ends (RFC 9700).
 */
export async function rotateRefreshToken(token: string, clientId: string) {
  const { session, successor } = await transaction(async (inTransaction) => {
    const found = await RefreshToken.findOne({
      where: { tokenHash: hashOf(token) },
      transaction: inTransaction,
      lock: inTransaction.LOCK.UPDATE,
    });
    const session = found && (await Session.findByPk(found.sessionId, { transaction: inTransaction }));
    if (
      !found ||
      !session ||
      session.clientId !== clientId ||
      session.revokedAt !== null ||
      found.expiresAt < new Date()
    )
      return { session: undefined, successor: undefined };
    if (found.usedAt !== null) {
      await revoke(session.id, inTransaction);
      return { session: undefined, successor: undefined };
    }
    await found.update({ usedAt: new Date() }, { transaction: inTransaction });
    await session.update({ expiresAt: inDays(sessionDays) }, { transaction: inTransaction });
    return { session, successor: await createRefreshToken(session.id, inTransaction) };
  });
  if (!session || successor === undefined) throw new AppError('invalid_refresh_token');
  return { accountId: session.accountId, tokens: (account: TokenHolder) => issue(account, session, successor) };
}

const sessionStatement = statement<{
  account_id: number;
  uuid: string;
  merchant_id: number;
  merchant_uuid: string;
  role: Role;
}>(
  'session_caller',
  `SELECT a.id AS account_id, a.uuid, a.merchant_id, a.merchant_uuid, a.role
   FROM sessions s JOIN accounts a ON a.id = s.account_id
   WHERE s.id = $1 AND s.revoked_at IS NULL AND s.expires_at > now() AND a.is_active`,
);

async function readSession(sessionId: string): Promise<CachedCaller> {
  const [row] = await sessionStatement([sessionId]);
  if (!row) throw new AppError('invalid_auth_token');
  const caller = {
    accountId: row.account_id,
    accountUuid: row.uuid,
    merchantId: row.merchant_id,
    merchantUuid: row.merchant_uuid,
    role: row.role,
    scopes: row.role === 'merchant' ? scopes : [],
    sessionId,
  };
  const cached: CachedCaller = { caller, readAtMs: Date.now() };
  if (openSessions.size >= sessionCacheMax) openSessions.clear();
  openSessions.set(sessionId, cached);
  return cached;
}

async function revoke(sessionId: string, inTransaction: Transaction): Promise<void> {
  await Session.update({ revokedAt: new Date() }, { where: { id: sessionId }, transaction: inTransaction });
  await execute(inTransaction, `SELECT pg_notify('sessions', $1)`, [sessionId]);
}

async function createRefreshToken(sessionId: string, inTransaction: Transaction): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await RefreshToken.create(
    { tokenHash: hashOf(token), sessionId, expiresAt: inDays(refreshDays) },
    { transaction: inTransaction },
  );
  return token;
}

function issue(account: TokenHolder, session: Session, refreshToken: string): IssuedTokens {
  const expiresAtSeconds = unixSeconds(session.expiresAt);
  const accessToken = signAccessToken({
    sub: account.uuid,
    mid: account.merchantUuid,
    sid: session.id,
    role: account.role,
    exp: expiresAtSeconds,
  });
  return { accessToken, refreshToken, expiresAtSeconds };
}

function sessionIdOf(token: string | undefined): string | undefined {
  try {
    return token === undefined ? undefined : verifyAccessToken(token).sid;
  } catch {
    return undefined;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}
