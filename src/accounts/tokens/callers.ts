import { verifyAccessToken, verifyChannelToken } from '../../adapters/jwt';
import { batched } from '../../adapters/postgres/batch';
import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { scopes as allScopes, type Caller, type Role, type Scope } from '../../kit/auth';
import { AppError } from '../../kit/errors';

/**
 * How long a replica trusts a session after it has read it, or after the last time at which it is known to have
 * received every change. It bounds the delay of a revocation whose NOTIFY was lost.
 */
const sessionTrustMs = 5_000;
const sessionsMax = 50_000;

interface CachedCaller {
  caller: Omit<Caller, 'clientAddress'>;
  readAtMs: number;
  endsAtMs: number;
}

interface SessionRow {
  place: number;
  account_id: number;
  uuid: string;
  merchant_id: number;
  merchant_uuid: string;
  role: Role;
  session_scopes: string[] | null;
  relation_scopes: string[] | null;
  actor_uuid: string | null;
  date_of_birth: string | null;
  milliseconds_left: number;
}

/** The cached sessions, in the order in which they were read. */
const openSessions = new Map<string, CachedCaller>();
/** The sessions that were read before this time and have changed since are no longer cached. */
let confirmedAtMs = 0;
const everySession = 'all';
/** For each running read, the sessions and accounts that have changed since it began: its result may be outdated. */
const readings = new Set<Set<string | number>>();

/** The caller of a token whose session is open. Throws `invalid_auth_token`. */
export async function getCaller(token: string | undefined, clientAddress: string): Promise<Caller> {
  if (token === undefined) throw new AppError('invalid_auth_token');
  const { sid, pid } = verifyAccessToken(token);
  const { caller } = findTrusted(sid) ?? (await readSession(sid));
  const known = { ...caller, clientAddress };
  return pid === undefined ? known : { ...known, profileId: pid };
}

/** The caller of a channel token whose session is open. Throws `invalid_auth_token`. */
export async function getChannelCaller(token: string, clientAddress: string): Promise<Caller> {
  const { sid, sub } = verifyChannelToken(token);
  const { caller } = findTrusted(sid) ?? (await readSession(sid));
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

/** Removes an account's sessions from this replica's cache, because the account's rights have changed. */
export function forgetAccount(accountId: number): void {
  for (const [sessionId, { caller }] of openSessions)
    if (caller.accountId === accountId) openSessions.delete(sessionId);
  reportReadings(accountId);
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

// A removed relation leaves its follower without any scope.
const relationScopes = `CASE WHEN r.removed_at IS NULL THEN r.scopes ELSE '{}' END`;

const lives = 's.revoked_at IS NULL AND s.expires_at > now() AND a.is_active AND o.is_active IS NOT FALSE';

const deadSessionsStatement = statement<{ id: string }>(
  'sessions_dead',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) WHERE NOT EXISTS (
     SELECT FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN oauth_apps o ON o.client_id = s.client_id
     WHERE s.id = asked.id AND ${lives})`,
);

// The sub-select hides the array's length from the planner, which would otherwise plan again at each call.
const sessionsStatement = statement<SessionRow>(
  'session_callers',
  `SELECT wanted.place::int AS place, found.*
   FROM unnest((SELECT $1::uuid[])) WITH ORDINALITY AS wanted (session_id, place)
   CROSS JOIN LATERAL (
     SELECT a.id AS account_id, a.uuid, a.merchant_id, a.merchant_uuid, a.role, s.scopes AS session_scopes,
       ${relationScopes} AS relation_scopes, s.actor_uuid,
       a.date_of_birth::text AS date_of_birth, date_part('epoch', s.expires_at - now()) * 1000 AS milliseconds_left
     FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN follower_relations r ON r.follower_id = a.id
       LEFT JOIN oauth_apps o ON o.client_id = s.client_id
     WHERE s.id = wanted.session_id AND ${lives}
     LIMIT 1
   ) AS found`,
);

const findSession = batched(async (sessionIds: string[]) => {
  const found = new Array<SessionRow | undefined>(sessionIds.length);
  for (const row of await sessionsStatement([sessionIds])) found[row.place - 1] = row;
  return found;
});

/**
 * The scopes of the account at this moment, narrowed to those of a session; null stands for a session with all scopes.
 */
export async function readScopes(
  inTransaction: Transaction,
  account: { id: number; role: Role },
  sessionScopes: readonly string[] | null,
): Promise<Scope[]> {
  if (account.role === 'consumer') return [];
  const [relation] = await execute<{ scopes: string[] }>(
    inTransaction,
    `SELECT ${relationScopes} AS scopes FROM follower_relations r WHERE r.follower_id = $1`,
    [account.id],
  );
  return narrowed(account.role, relation?.scopes ?? null, sessionScopes);
}

function findTrusted(sessionId: string): CachedCaller | undefined {
  const known = openSessions.get(sessionId);
  if (!known) return undefined;
  const nowMs = Date.now();
  const isTrusted = nowMs - Math.max(known.readAtMs, confirmedAtMs) < sessionTrustMs && nowMs < known.endsAtMs;
  return isTrusted ? known : undefined;
}

/** Reads a session and caches it, unless it has changed during the read. */
async function readSession(sessionId: string): Promise<CachedCaller> {
  const readAtMs = Date.now();
  const forgotten = new Set<string | number>();
  readings.add(forgotten);
  const row = await findSession(sessionId).finally(() => readings.delete(forgotten));
  if (!row) throw new AppError('invalid_auth_token');
  const cached: CachedCaller = {
    caller: callerOf(sessionId, row),
    readAtMs,
    endsAtMs: readAtMs + row.milliseconds_left,
  };
  if ([everySession, sessionId, row.account_id].some((name) => forgotten.has(name))) return cached;
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
  return {
    accountId: row.account_id,
    accountUuid: row.uuid,
    merchantId: row.merchant_id,
    merchantUuid: row.merchant_uuid,
    role: row.role,
    scopes: narrowed(row.role, row.relation_scopes, row.session_scopes),
    sessionId,
    dateOfBirth: row.date_of_birth,
    ...(row.actor_uuid !== null && { actorUuid: row.actor_uuid }),
    ...(row.relation_scopes !== null && { isFollower: true as const }),
  };
}

/** A master has all scopes. A relation and a session can only narrow them. */
function narrowed(role: Role, relation: readonly string[] | null, session: readonly string[] | null): Scope[] {
  if (role !== 'merchant') return [];
  return allScopes.filter((scope) => relation?.includes(scope) !== false && session?.includes(scope) !== false);
}
