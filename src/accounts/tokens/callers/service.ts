import { verifyAccessToken, verifyChannelToken } from '../../../adapters/jwt';
import { batched } from '../../../adapters/postgres/batch';
import { type Transaction } from '../../../adapters/postgres/connection';
import { execute, statement } from '../../../adapters/postgres/statement';
import { scopes as allScopes, type Caller, type Role, type Scope } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';

/**
 * How long a replica may go on trusting a session after it was read, or after the last moment of which it knows that every
 * change has reached it: the bound on a revocation whose NOTIFY was lost.
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

/** In the order in which they were read. */
const openSessions = new Map<string, CachedCaller>();
/** Whoever was remembered until then and changed has been forgotten. */
let confirmedAtMs = 0;
const everySession = 'all';
/** Of each reading that runs, which sessions (by id) and accounts were forgotten meanwhile: it may have seen them before. */
const readings = new Set<Set<string | number>>();

/** Who a token speaks for, as long as its session lives. Throws `invalid_auth_token`. */
export async function getCaller(token: string | undefined, clientAddress: string): Promise<Caller> {
  if (token === undefined) throw new AppError('invalid_auth_token');
  const { sid, pid } = verifyAccessToken(token);
  const { caller } = findTrusted(sid) ?? (await readSession(sid));
  const known = { ...caller, clientAddress };
  return pid === undefined ? known : { ...known, profileId: pid };
}

/** Who a channel token speaks for, as long as its session lives. Throws `invalid_auth_token`. */
export async function getChannelCaller(token: string, clientAddress: string): Promise<Caller> {
  const { sid, sub } = verifyChannelToken(token);
  const { caller } = findTrusted(sid) ?? (await readSession(sid));
  if (caller.accountUuid !== sub) throw new AppError('invalid_auth_token');
  return { ...caller, clientAddress };
}

/** Which of these sessions have ended, in whatever way. */
export async function listDeadSessions(sessionIds: string[]): Promise<string[]> {
  return (await deadSessionsStatement([sessionIds])).map(({ id }) => id);
}

/** Drops a session from this replica's memory: some replica has ended it. */
export function forgetSession(sessionId: string): void {
  openSessions.delete(sessionId);
  tellReadings(sessionId);
}

/** Drops an account's sessions from this replica's memory: what it may do has changed somewhere. */
export function forgetAccount(accountId: number): void {
  for (const [sessionId, { caller }] of openSessions)
    if (caller.accountId === accountId) openSessions.delete(sessionId);
  tellReadings(accountId);
}

export function forgetAllSessions(): void {
  openSessions.clear();
  tellReadings(everySession);
}

/** All changes of sessions and accounts that were committed until `untilMs` (Unix time) have been told to this replica. */
export function confirmSessions(untilMs: number): void {
  confirmedAtMs = untilMs;
}

function tellReadings(forgotten: string | number): void {
  for (const reading of readings) reading.add(forgotten);
}

/** With the commit of what changes an account or its scopes: the other replicas hear of it from the database. */
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

// Through a sub-select, which hides the array's length from the planner: it would else plan anew at each call.
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

/** What a session of the account may do at this moment; null asks for all that the account may. */
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

/** Remembered from before it was read, unless somebody has changed it meanwhile. */
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

/** A master has all scopes; a relation and a session can only narrow them (decisions 3). */
function narrowed(role: Role, relation: readonly string[] | null, session: readonly string[] | null): Scope[] {
  if (role !== 'merchant') return [];
  return allScopes.filter((scope) => relation?.includes(scope) !== false && session?.includes(scope) !== false);
}
