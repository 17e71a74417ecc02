import { type Caller } from '../../kit/auth';
import { randomUUID } from 'node:crypto';
import { publicKeys, signAccessToken, verifyAccessToken } from '../../adapters/jwt';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { type AccountRole, type Scope } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { unixSeconds } from '../../kit/time';
import { publish } from '../../notifications/publish';
import { getSettings } from '../settings';
import { forgetSession } from './callers';
import { deviceOfSignIn, tellOfNewDevice } from './devices';
import { Session } from './tokens.model';
import { isSessionOpen } from './openSessions';
import { createRefreshToken } from './refreshTokens';
import { readScopes } from './rights';
import { type IssuedTokens, type SessionOptions } from './tokens.schemas';

/** The duration of a session without a renewal. */
const sessionSeconds = 30 * 86_400;

/** The maximum age of a session, even with renewals: 90 days, and one working day for operators. */
const longestSessionSeconds = (role: AccountRole) => (role === 'operator' ? 12 * 3600 : 90 * 86_400);

/** The end of a session that is opened or renewed now. */
export function sessionEnd(role: AccountRole, openedAt = new Date(), lifetimeSeconds = sessionSeconds): Date {
  const latestMs = openedAt.getTime() + longestSessionSeconds(role) * 1000;
  return new Date(Math.min(Date.now() + lifetimeSeconds * 1000, latestMs));
}

export interface TokenHolder {
  id: number;
  uuid: string;
  merchantId: number;
  merchantUuid: string;
  role: AccountRole;
}

export function getKeySet() {
  return { keys: publicKeys() };
}

/** Opens a session. Every token has a session row, so that the end of the session ends the token on every replica. */
export function openSession(
  account: TokenHolder,
  clientId: string,
  options: SessionOptions = {},
): Promise<IssuedTokens> {
  const { act, grantType = 'password' } = options;
  const scopes = options.scopes ? [...options.scopes] : null;
  return transaction(async (inTransaction) => {
    await lockSignIn(inTransaction, account.id, options);
    // It would outlive a session that has ended, and that a replica still trusts.
    if (act?.sessionId !== undefined && !(await isSessionOpen(inTransaction, act.sessionId)))
      throw new AppError('invalid_auth_token');
    if (options.request?.browser !== undefined) await endSessionOfPage(inTransaction, options.request);
    const session = await Session.create(
      {
        id: randomUUID(),
        merchantId: account.merchantId,
        accountId: account.id,
        clientId,
        grantType,
        scopes,
        actorUuid: act?.accountUuid ?? null,
        actorSessionId: act?.sessionId ?? null,
        factorProvenAt: options.isFactorProven === true ? (options.factorProvenAt ?? new Date()) : null,
        hasCompanyFactor: options.hasCompanyFactor === true,
        passwordProvenAt: options.passwordProvenAt ?? null,
        ...(options.request && deviceOfSignIn(options.request)),
        expiresAt: sessionEnd(account.role, new Date(), options.lifetimeSeconds),
      },
      { transaction: inTransaction, returning: true },
    );
    if (options.request && !act) await tellOfNewDevice(inTransaction, account, session);
    const granted = await readScopes(inTransaction, account, scopes);
    const refreshToken = act ? '' : await createRefreshToken(inTransaction, session.id);
    if (account.role === 'consumer' && !act) await keepSessionLimit(inTransaction, account, session.id);
    return issueTokens(account, session, refreshToken, granted);
  });
}

/**
 * Ends the session in the cookie of a page, because the cookie of the new session replaces it. No browser has its token
 * any more, so only a thief could use it.
 */
async function endSessionOfPage(inTransaction: Transaction, { bearer }: RequestFacts): Promise<void> {
  const sessionId = findSessionId(bearer);
  if (sessionId !== undefined) await revokeSession(inTransaction, sessionId);
}

/** Ends the session of a token. An expired token has none. */
export async function endSession(token: string | undefined): Promise<void> {
  const sessionId = findSessionId(token);
  if (sessionId === undefined) return;
  await transaction((inTransaction) => revokeSession(inTransaction, sessionId));
}

export async function revokeSession(inTransaction: Transaction, sessionId: string): Promise<void> {
  await endWhere(inTransaction, 'id = $1', [sessionId]);
}

/** Ends the session of a page. Its token is in a cookie and not in a header. */
export async function endOwnSession({ sessionId }: Caller): Promise<void> {
  await transaction((inTransaction) => revokeSession(inTransaction, sessionId));
}

/** Ends one session of an account. False if the account has no such open session. */
export async function endNamedSession(
  inTransaction: Transaction,
  { accountId, sessionId, reason }: { accountId: number; sessionId: string; reason: string },
): Promise<boolean> {
  return (await endWhere(inTransaction, 'account_id = $1 AND id = $2', [accountId, sessionId], reason)) > 0;
}

/** Ends all sessions of an account, or all but one. With a reason, each session gets an `account.logout` event. */
export async function endSessions(
  inTransaction: Transaction,
  { accountId, exceptSessionId, reason }: { accountId: number; exceptSessionId?: string; reason?: string },
): Promise<void> {
  const condition = 'account_id = $1 AND id IS DISTINCT FROM $2::uuid';
  await endWhere(inTransaction, condition, [accountId, exceptSessionId ?? null], reason);
  // A waiting second step of a sign-in would open another session.
  await execute(inTransaction, 'DELETE FROM sign_in_challenges WHERE account_id = $1', [accountId]);
  await execute(inTransaction, 'DELETE FROM device_pairings WHERE account_id = $1', [accountId]);
}

/** Like `endSessions`, only for sessions that people opened. Sessions that an app opened with its secret stay. */
export async function endSessionsOfPeople(
  inTransaction: Transaction,
  { accountId, exceptSessionId, reason }: { accountId: number; exceptSessionId: string; reason: string },
): Promise<void> {
  const condition = `account_id = $1 AND id <> $2 AND grant_type <> 'client_credentials'`;
  await endWhere(inTransaction, condition, [accountId, exceptSessionId], reason);
}

/** Ends all sessions that a client opened, or those of one grant type. */
export async function endSessionsOfClient(
  inTransaction: Transaction,
  clientId: string,
  { grantType }: { grantType?: string } = {},
): Promise<void> {
  const condition = 'client_id = $1 AND ($2::text IS NULL OR grant_type = $2)';
  await endWhere(inTransaction, condition, [clientId, grantType ?? null]);
}

/** Ends all sessions that the staff of a merchant opened with the company's provider, and those that wait for a code. */
export async function endSessionsOfCompany(inTransaction: Transaction, merchantId: number): Promise<void> {
  const ofStaff = 'account_id IN (SELECT account_id FROM staff_members WHERE merchant_id = $1)';
  await endWhere(inTransaction, `${ofStaff} AND grant_type = 'company'`, [merchantId]);
  const waiting = `DELETE FROM sign_in_challenges WHERE merchant_id = $1 AND grant_type = 'company'`;
  await execute(inTransaction, waiting, [merchantId]);
}

/**
 * Locks the sign-ins of an account, so that they run before or after a change of its password, second factor or state.
 * Otherwise, a change that ends all sessions would miss a session that is being opened.
 */
async function lockSignIn(
  inTransaction: Transaction,
  accountId: number,
  { passwordHash, act, grantType, isFactorProven = false }: SessionOptions,
): Promise<void> {
  const [account] = await execute<{ is_active: boolean; password_hash: string; is_suspended: boolean }>(
    inTransaction,
    `SELECT is_active, password_hash, EXISTS (SELECT FROM merchant_states s
       WHERE s.merchant_id = a.merchant_id AND s.suspended_at IS NOT NULL) AS is_suspended
     FROM accounts a WHERE id = $1 FOR NO KEY UPDATE`,
    [accountId],
  );
  const isSame = passwordHash === undefined || account?.password_hash === passwordHash;
  if (!account?.is_active || !isSame) throw new AppError('invalid_credentials');
  if (account.is_suspended) throw new AppError('merchant_suspended');
  // The proof of these sessions is the secret of an app, or the actor's own session.
  if (isFactorProven || act || grantType === 'client_credentials') return;
  // A separate statement after the lock, so that it sees a factor that was just confirmed.
  const factors = await execute(
    inTransaction,
    'SELECT FROM second_factors WHERE account_id = $1 AND confirmed_at IS NOT NULL',
    [accountId],
  );
  if (factors.length > 0) throw new AppError('second_factor_required');
}

/** Ends the consumer's oldest sessions above the merchant's limit. */
async function keepSessionLimit(inTransaction: Transaction, account: TokenHolder, newest: string): Promise<void> {
  const { sessionLimit } = await getSettings(account.merchantId, inTransaction);
  if (sessionLimit === null) return;
  const isBeyond = `id IN (SELECT id FROM sessions WHERE account_id = $1 AND id <> $2 AND actor_uuid IS NULL
    AND revoked_at IS NULL AND expires_at > now() ORDER BY created_at DESC, id OFFSET $3)`;
  await endWhere(inTransaction, isBeyond, [account.id, newest, sessionLimit - 1], 'sessions_limit');
}

/**
 * Ends sessions and the impersonations that were started from them, and returns their number. This replica removes them
 * from its cache at the commit, the others at the NOTIFY.
 */
async function endWhere(
  inTransaction: Transaction,
  condition: string,
  values: unknown[],
  reason?: string,
): Promise<number> {
  const dead = await execute<{ id: string; merchant_id: number; account_id: number; is_acted: boolean }>(
    inTransaction,
    `WITH ended AS (
       UPDATE sessions SET revoked_at = now() WHERE revoked_at IS NULL AND (${condition})
       RETURNING id, merchant_id, account_id, false AS is_acted
     ), acted AS (
       UPDATE sessions SET revoked_at = now()
       WHERE revoked_at IS NULL AND actor_session_id IN (SELECT id FROM ended)
       RETURNING id, merchant_id, account_id, true AS is_acted
     ), dead AS (SELECT * FROM ended UNION ALL SELECT * FROM acted)
     SELECT * FROM dead`,
    values,
  );
  inTransaction.afterCommit(() => dead.forEach(({ id }) => forgetSession(id)));
  if (reason === undefined) return dead.length;
  for (const { id, merchant_id, account_id } of dead.filter(({ is_acted }) => !is_acted)) {
    const resource = { reason, session_id: id };
    await publish(inTransaction, merchant_id, [
      { type: 'account.logout', accountId: account_id, dedupeKey: `logout:${id}`, resource },
    ]);
  }
  return dead.length;
}

/** The response with the tokens of a session. */
export function issueTokens(
  account: TokenHolder,
  session: Session,
  refreshToken: string,
  scopes: Scope[],
): IssuedTokens {
  const expiresAtSeconds = unixSeconds(session.expiresAt);
  const accessToken = signAccessToken({
    sub: account.uuid,
    mid: account.merchantUuid,
    sid: session.id,
    cid: session.clientId,
    role: account.role,
    scope: scopes.join(' '),
    ...(session.actorUuid !== null && { act: { sub: session.actorUuid } }),
    exp: expiresAtSeconds,
  });
  return { accessToken, refreshToken, expiresAtSeconds };
}

function findSessionId(token: string | undefined): string | undefined {
  try {
    return token === undefined ? undefined : verifyAccessToken(token).sid;
  } catch {
    return undefined;
  }
}
