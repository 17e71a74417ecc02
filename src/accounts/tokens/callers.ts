import { verifyAccessToken, verifyChannelToken } from '../../adapters/jwt';
import { batched } from '../../adapters/postgres/batch';
import { type Transaction } from '../../adapters/postgres/connection';
import { firstOf, statement } from '../../adapters/postgres/statement';
import { operatorIdleMinutes } from '../../adapters/settings';
import { type AccountRole, type Caller, type Scope } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { relationScopes, scopesFrom, staffRoleOf, staffScopesOf } from './rights';
import { noteUse } from './sessionUses';

/**
 * The time for which a replica trusts a session after reading it, or after the last time at which it has certainly
 * received every change. It limits the delay of a revocation whose NOTIFY was lost.
 */
const sessionTrustMs = 5_000;
const sessionsMax = 50_000;
const settingsTrustMs = 10 * 60_000;
/** The interval at which the last use of a session is written. It is shorter if the session ends without use. */
const noteEveryMs = 10 * 60_000;
const noteEveryIdleMs = 60_000;

interface CachedCaller {
  caller: Omit<Caller, 'clientAddress'>;
  /** The account that acts as the caller. */
  actorId: number | undefined;
  readAtMs: number;
  endsAtMs: number;
  /** The time limit for an unused session. */
  idleMs: number | undefined;
  usedAtMs: number;
  /** The time when a use was last recorded for the database. */
  notedAtMs: number;
}

interface SessionRow {
  place: number;
  account_id: number;
  uuid: string;
  merchant_id: number;
  merchant_uuid: string;
  role: AccountRole;
  session_scopes: string[] | null;
  relation_scopes: string[] | null;
  staff_role: string | null;
  staff_scopes: string[] | null;
  actor_uuid: string | null;
  actor_id: number | null;
  actor_role: AccountRole | null;
  actor_session_scopes: string[] | null;
  actor_relation_scopes: string[] | null;
  actor_staff_role: string | null;
  actor_staff_scopes: string[] | null;
  date_of_birth: string | null;
  lacks_factor: boolean;
  milliseconds_left: number;
  idle_minutes: number | null;
  last_used_at: Date;
}

/** The cached sessions, in the order in which they were read. */
const openSessions = new Map<string, CachedCaller>();
/**
 * All changes of sessions before this time are known. The cache has no session that was read before it and changed
 * since.
 */
let confirmedAtMs = 0;
const everySession = 'all';
/**
 * For each read in progress, the sessions and accounts that have changed since its start. Its result may be outdated.
 */
const readings = new Set<Set<string | number>>();

/** The caller of a token whose session is open. Throws `invalid_auth_token`. */
export async function getCaller(token: string | undefined, clientAddress: string): Promise<Caller> {
  if (token === undefined) throw new AppError('invalid_auth_token');
  const { sid, pid } = verifyAccessToken(token);
  const caller = await useSession(sid);
  const known = { ...caller, clientAddress };
  return pid === undefined ? known : { ...known, profileId: pid };
}

/** The caller of a channel token whose session is open. Throws `invalid_auth_token`. */
export async function getChannelCaller(token: string, clientAddress: string): Promise<Caller> {
  const { sid, sub } = verifyChannelToken(token);
  const caller = await useSession(sid);
  if (caller.accountUuid !== sub) throw new AppError('invalid_auth_token');
  return { ...caller, clientAddress };
}

/** The given sessions that have ended, for any reason. */
export async function listDeadSessions(sessionIds: string[]): Promise<string[]> {
  return (await deadSessionsStatement([sessionIds])).map(({ id }) => id);
}

/** Removes a session from this replica's cache, because some replica has ended it. */
export function forgetSession(sessionId: string): void {
  openSessions.delete(sessionId);
  reportReadings(sessionId);
}

/**
 * Removes an account's sessions from this replica's cache, because the account's rights have changed. The rights of a
 * merchant are also limits for its staff.
 */
export function forgetAccount(accountId: number): void {
  for (const [sessionId, { caller, actorId }] of openSessions) {
    const isOf = caller.accountId === accountId || actorId === accountId;
    if (isOf || (caller.isStaff && caller.merchantId === accountId)) openSessions.delete(sessionId);
  }
  reportReadings(accountId);
}

/** Removes the sessions of a merchant and its customers from this replica's cache, because the merchant is suspended. */
export function forgetTenant(merchantId: number): void {
  for (const [sessionId, { caller }] of openSessions)
    if (caller.merchantId === merchantId) openSessions.delete(sessionId);
  reportReadings(everySession);
}

export function forgetAllSessions(): void {
  openSessions.clear();
  reportReadings(everySession);
}

/** This replica has received all changes of sessions and accounts that were committed until `untilMs` (Unix time). */
export function confirmSessions(untilMs: number): void {
  confirmedAtMs = untilMs;
}

function reportReadings(forgotten: string | number): void {
  for (const reading of readings) reading.add(forgotten);
}

/** Call it in the transaction that changes an account or its scopes. The other replicas are notified at the commit. */
export function forgetWithCommit(inTransaction: Transaction, accountId: number): void {
  inTransaction.afterCommit(() => forgetAccount(accountId));
}

// Read only for people of a merchant that requires factors, so that the session of a customer costs nothing more. Sessions
// that an app opened with its secret belong to no person.
const lacksFactor = `m.second_factor_policy = 'required' AND coalesce(actor.role, a.role) IN ('merchant', 'staff')
  AND s.grant_type <> 'client_credentials' AND NOT coalesce(acting.has_company_factor, s.has_company_factor)
  AND NOT EXISTS (
    SELECT FROM second_factors f WHERE f.account_id = ${firstOf('actor.id', 'a.id')} AND f.confirmed_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM passkeys p WHERE p.account_id = ${firstOf('actor.id', 'a.id')})`;

const actorRelationScopes = `CASE WHEN actor.is_active AND of_actor.removed_at IS NULL THEN of_actor.scopes ELSE '{}' END`;

/** The minutes without use after which a session ends; null for no limit. */
const idleMinutes = `CASE WHEN s.grant_type = 'client_credentials' THEN NULL
  WHEN a.role = 'operator' THEN ${operatorIdleMinutes} ELSE m.session_idle_minutes END`;

const lives = `s.revoked_at IS NULL AND s.expires_at > now() AND a.is_active AND o.is_active IS NOT FALSE
  AND NOT EXISTS (SELECT FROM merchant_states st WHERE st.merchant_id = s.merchant_id AND st.suspended_at IS NOT NULL)
  AND coalesce(s.last_used_at > now() - make_interval(mins => ${idleMinutes}), true)`;

const deadSessionsStatement = statement<{ id: string }>(
  'sessions_dead',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) WHERE NOT EXISTS (
     SELECT FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN oauth_apps o ON o.client_id = s.client_id
       LEFT JOIN merchant_settings m ON m.merchant_id = s.merchant_id
     WHERE s.id = asked.id AND ${lives})`,
);

// The sub-select hides the array's length from the planner. Otherwise, it would plan again at each call.
const sessionsStatement = statement<SessionRow>(
  'session_callers',
  `SELECT wanted.place::int AS place, found.*
   FROM unnest((SELECT $1::uuid[])) WITH ORDINALITY AS wanted (session_id, place)
   CROSS JOIN LATERAL (
     SELECT a.id AS account_id, a.uuid, a.merchant_id, a.merchant_uuid, a.role, s.scopes AS session_scopes,
       ${relationScopes} AS relation_scopes, ${staffRoleOf('a')} AS staff_role, ${staffScopesOf('a')} AS staff_scopes,
       s.actor_uuid, actor.id AS actor_id, actor.role AS actor_role, ${staffRoleOf('actor')} AS actor_staff_role,
       ${staffScopesOf('actor')} AS actor_staff_scopes,
       acting.scopes AS actor_session_scopes, ${actorRelationScopes} AS actor_relation_scopes,
       a.date_of_birth::text AS date_of_birth, coalesce(${lacksFactor}, false) AS lacks_factor,
       date_part('epoch', s.expires_at - now()) * 1000 AS milliseconds_left,
       ${idleMinutes} AS idle_minutes, s.last_used_at
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN follower_relations r ON r.follower_id = a.merchant_id
       LEFT JOIN oauth_apps o ON o.client_id = s.client_id
       LEFT JOIN merchant_settings m ON m.merchant_id = s.merchant_id
       LEFT JOIN accounts actor ON actor.uuid = s.actor_uuid
       LEFT JOIN follower_relations of_actor ON of_actor.follower_id = actor.merchant_id
       LEFT JOIN sessions acting ON acting.id = s.actor_session_id
     WHERE s.id = wanted.session_id AND ${lives}
     LIMIT 1
   ) AS found`,
);

const findSession = batched(async (sessionIds: string[]) => {
  const found = new Array<SessionRow | undefined>(sessionIds.length);
  for (const row of await sessionsStatement([sessionIds])) found[row.place - 1] = row;
  return found;
});

/** The caller of an open session. Records the use of the session. */
async function useSession(sessionId: string): Promise<CachedCaller['caller']> {
  const nowMs = Date.now();
  const session = findTrusted(sessionId, nowMs) ?? (await readSession(sessionId));
  session.usedAtMs = nowMs;
  if (nowMs - session.notedAtMs >= (session.idleMs === undefined ? noteEveryMs : noteEveryIdleMs)) {
    session.notedAtMs = nowMs;
    noteUse(sessionId, nowMs);
  }
  return session.caller;
}

function findTrusted(sessionId: string, nowMs: number): CachedCaller | undefined {
  const known = openSessions.get(sessionId);
  if (!known) return undefined;
  const isRecent = nowMs - Math.max(known.readAtMs, confirmedAtMs) < sessionTrustMs && nowMs < known.endsAtMs;
  // A merchant's new limit applies to a session when it is read again.
  const isKnown = nowMs - known.readAtMs < settingsTrustMs;
  const isUsed = known.idleMs === undefined || nowMs - known.usedAtMs < known.idleMs;
  return isRecent && isKnown && isUsed ? known : undefined;
}

/** Reads a session and caches it, unless it has changed during the read. */
async function readSession(sessionId: string): Promise<CachedCaller> {
  const readAtMs = Date.now();
  const forgotten = new Set<string | number>();
  readings.add(forgotten);
  const row = await findSession(sessionId).finally(() => readings.delete(forgotten));
  // A person who must set up a second factor first does not act as others any longer.
  const isOver = row?.lacks_factor && row.actor_uuid !== null;
  if (!row || isOver) throw new AppError('invalid_auth_token');
  const cached: CachedCaller = {
    caller: callerOf(sessionId, row),
    readAtMs,
    actorId: row.actor_id ?? undefined,
    endsAtMs: readAtMs + row.milliseconds_left,
    idleMs: row.idle_minutes === null ? undefined : row.idle_minutes * 60_000,
    usedAtMs: readAtMs,
    notedAtMs: row.last_used_at.getTime(),
  };
  const names = [everySession, sessionId, row.account_id, row.merchant_id, row.actor_id ?? sessionId];
  if (names.some((name) => forgotten.has(name))) return cached;
  remember(sessionId, cached);
  return cached;
}

function remember(sessionId: string, cached: CachedCaller): void {
  openSessions.delete(sessionId);
  openSessions.set(sessionId, cached);
  if (openSessions.size <= sessionsMax) return;
  const [oldest = ''] = openSessions.keys();
  openSessions.delete(oldest);
}

function callerOf(sessionId: string, row: SessionRow): CachedCaller['caller'] {
  const isStaff = row.role === 'staff';
  return {
    accountId: row.account_id,
    accountUuid: row.uuid,
    merchantId: row.merchant_id,
    merchantUuid: row.merchant_uuid,
    role: row.role === 'staff' ? 'merchant' : row.role,
    scopes: scopesFrom({
      role: row.role,
      relation: row.relation_scopes,
      session: row.session_scopes,
      staffRole: row.staff_role,
      staffScopes: row.staff_scopes,
    }),
    sessionId,
    dateOfBirth: row.date_of_birth,
    ...(row.actor_uuid !== null && { actorUuid: row.actor_uuid, actorScopes: scopesOfActor(row) }),
    ...(row.relation_scopes !== null && row.role === 'merchant' && { isFollower: true as const }),
    ...(isStaff && { isStaff }),
    ...(row.lacks_factor && { lacksFactor: true as const }),
  };
}

function scopesOfActor(row: SessionRow): Scope[] {
  return scopesFrom({
    role: row.actor_role,
    relation: row.actor_relation_scopes,
    session: row.actor_session_scopes,
    staffRole: row.actor_staff_role,
    staffScopes: row.actor_staff_scopes,
  });
}
