import pg from 'pg';
import {
  Sequelize,
  type Includeable,
  type LOCK,
  type Model,
  type ModelStatic,
  type Transaction,
  type WhereOptions,
} from 'sequelize';
import { config } from '../../config';
import { AppError, type ErrorCode } from '../../kit/errors';
import { logger } from '../logger';
import { ContextPool, fence } from './fence';
import { KeyLocks } from './keyLocks';
import { closeReplica } from './replica';
import { openTransaction, requestWork } from './requestWork';

// bigint columns (money in minor units, counters) stay below 2^53 by their checks, so a number can hold them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// Model queries of a request with an Idempotency-Key run in its transaction as soon as it has one.
Sequelize.useCLS({
  get: (name: string) => (name === 'transaction' ? openTransaction() : undefined),
  set: () => undefined,
  run: (work: (context: object) => void) => work({}),
  bind: <Bound>(bound: Bound) => bound,
});

/** Shorter than the callers' timeouts: a statement that waits for a lock fails before its caller gives up. */
const lockSeconds = 5;
/** An idle transaction is ended after this time, because its locks delay others. */
const idleSeconds = 60;
let statementSeconds = config.DATABASE_STATEMENT_SECONDS;

/** Sets the time limit of statements, for a process with long jobs. Call it before the first statement. */
export function allowStatements(seconds: number): void {
  statementSeconds = seconds;
}

/**
 * The limits are set by a statement after connecting, because connection poolers refuse settings at the start. A pooler in
 * transaction mode would keep them on any connection, so it sets them itself (`refuseUnlimitedPooler`).
 */
async function prepare(client: pg.ClientBase): Promise<void> {
  fence(client);
  if (config.DATABASE_IS_POOLED) return;
  await client.query(
    `SET statement_timeout = '${statementSeconds}s'; SET lock_timeout = '${lockSeconds}s';
     SET idle_in_transaction_session_timeout = '${idleSeconds}s'`,
  );
}

export const sequelize = new Sequelize(config.DATABASE_URL, {
  dialect: 'postgres',
  logging: false,
  pool: { max: config.DATABASE_POOL, min: 0, acquire: 5_000, idle: 30_000 },
  define: { underscored: true, timestamps: false },
  dialectOptions: { connectionTimeoutMillis: 5_000, ...(config.DATABASE_IS_POOLED && { clientMinMessages: 'ignore' }) },
  // Otherwise Sequelize sets the time zone of the session. The pooler does.
  ...(config.DATABASE_IS_POOLED && { keepDefaultTimezone: true }),
  hooks: { afterConnect: (connection) => prepare(connection as pg.Client) },
});

/** Prepared statements of the hot paths, on connections of their own so that neither starves the other. */
export const pool = new ContextPool({
  connectionString: config.DATABASE_URL,
  max: config.DATABASE_POOL,
  // The minimum of connections stays open, so that these need no timer at each use.
  min: 2,
  connectionTimeoutMillis: 5_000,
  // eslint-disable-next-line @typescript-eslint/no-misused-promises -- The pool awaits it; only its types are wrong.
  onConnect: prepare,
});
// An idle connection that breaks must not end the process: the next query opens another.
pool.on('error', (error) => logger.warn({ reason: error.message }, 'an idle database connection broke'));

export type { Transaction };

export const keyLocks = new KeyLocks();

/**
 * Two writes need one transaction. It never contains a workflow start or a provider call. Its level is PostgreSQL's
 * default, READ COMMITTED, because setting it would cost one more round trip. A request with an Idempotency-Key has one
 * transaction for all its writes.
 */
export function transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return requestWork()?.unit(work) ?? sequelize.transaction(work);
}

interface OwnedOptions {
  transaction?: Transaction | undefined;
  lock?: LOCK | boolean;
  include?: Includeable | Includeable[];
}

/** A merchant's row, or `notFound`. A row of another merchant counts as missing. */
export async function getOwned<M extends Model>(
  model: ModelStatic<M>,
  merchantId: number,
  id: number,
  notFound: ErrorCode,
  { transaction: inTransaction, ...options }: OwnedOptions = {},
): Promise<M> {
  const where = { id, merchantId } as unknown as WhereOptions;
  const row = await model.findOne({ ...options, where, ...(inTransaction && { transaction: inTransaction }) });
  if (!row) throw new AppError(notFound);
  return row;
}

/** The unique constraint that a write violated; undefined for every other error. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = databaseErrorOf(error);
  return code === '23505' ? constraint : undefined;
}

/** Whether a row could not be deleted because another one refers to it. */
export function isStillReferred(error: unknown): boolean {
  return databaseErrorOf(error).code === '23503';
}

type DatabaseError = { code?: string; constraint?: string };

/** PostgreSQL's error. Sequelize wraps it. */
function databaseErrorOf(error: unknown): DatabaseError {
  return (error as { parent?: DatabaseError }).parent ?? (error as DatabaseError);
}

export async function closeDatabase(): Promise<void> {
  await Promise.all([sequelize.close(), pool.end(), keyLocks.close(), closeReplica()]);
}
