import pg from 'pg';
import { config } from '../../config';
import { logger } from '../logger';
import { localSetting } from './fence';

/** The streaming replica of reports (`DATABASE_REPORTS_URL`). Only `reports.ts` reads from it. */

const answerMs = 2_000;

const replica =
  config.DATABASE_REPORTS_URL === undefined
    ? undefined
    : new pg.Pool({
        connectionString: config.DATABASE_REPORTS_URL,
        max: config.DATABASE_POOL,
        connectionTimeoutMillis: answerMs,
        // Later than the limit of the statement: only a server that does not answer at all reaches it.
        query_timeout: config.DATABASE_STATEMENT_SECONDS * 1000 + answerMs,
      });
replica?.on('error', (error) => logger.warn({ reason: error.message }, 'an idle connection to the replica broke'));

export const hasReplica = replica !== undefined;

/** The replica failed. The same statement can succeed at the primary. */
export class ReplicaFault extends Error {
  constructor(
    readonly reason: 'away' | 'conflict',
    cause: unknown,
  ) {
    super((cause as Error).message, { cause });
  }
}

/**
 * Idle primaries send nothing to replay, so a replica that has replayed all it received is not behind while it is connected.
 * A role without rights on statistics also sees whether the receiver of the log runs. A server that is no longer a replica
 * has left the history of the primary, so nothing is read from it.
 */
const lagQuery = {
  text: `SELECT CASE
      WHEN NOT pg_is_in_recovery() THEN 'Infinity'
      WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
      ELSE coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 'Infinity')
    END::float8 AS seconds,
    extract(epoch FROM pg_last_xact_replay_timestamp())::float8 AS "replayedAt"`,
  query_timeout: answerMs,
};

export interface ReplicaState {
  /** Infinite if the replica does not know. */
  lagSeconds: number;
  /** The commit time of the last change that the replica has, in Unix seconds; null if it has replayed none. */
  replayedAt: number | null;
}

/** Rejects if there is no replica, or if it does not answer. */
export async function readReplicaState(): Promise<ReplicaState> {
  const found = await replica?.query<{ seconds: number; replayedAt: number | null }>(lagQuery);
  const [row] = found?.rows ?? [];
  if (row === undefined) throw new Error('there is no replica');
  return { lagSeconds: row.seconds, replayedAt: row.replayedAt };
}

/** Limits hold for the transaction, so that a pooler in transaction mode keeps none of them. */
const opening = `BEGIN READ ONLY; SET LOCAL default_transaction_read_only = on;
  SET LOCAL statement_timeout = '${config.DATABASE_STATEMENT_SECONDS}s'; SET LOCAL lock_timeout = '5s'`;

/**
 * PostgreSQL's codes of errors that the primary is not asked to avoid: a statement that took too long would do the same work
 * again, and one that writes is no report.
 */
const finalCodes = ['57014', '25006'];
/** PostgreSQL's code of a statement that the replica cancels because it would hold up the replay. */
const conflicting = '40001';

/** One statement with bound parameters, which cannot write. Throws `ReplicaFault` if the primary may do better. */
export async function readFromReplica<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  const client = await connect();
  // A connection that breaks also fails its query, which reports it.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    await client.query(`${opening}; ${localSetting()}`);
    const { rows } = await client.query<Row>(text, values);
    await client.query('COMMIT');
    client.off('error', ignore);
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    const { code } = error as { code?: string };
    if (code !== undefined && finalCodes.includes(code)) throw error;
    throw new ReplicaFault(code === conflicting ? 'conflict' : 'away', error);
  }
}

async function connect(): Promise<pg.PoolClient> {
  try {
    if (replica === undefined) throw new Error('there is no replica');
    return await replica.connect();
  } catch (error) {
    throw new ReplicaFault('away', error);
  }
}

export async function closeReplica(): Promise<void> {
  await replica?.end();
}
