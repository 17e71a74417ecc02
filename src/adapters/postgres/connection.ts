import pg from 'pg';
import { Sequelize, type Model, type ModelStatic, type Transaction, type WhereOptions } from 'sequelize';
import { config } from '../../config';
import { AppError, type ErrorCode } from '../../kit/errors';
import { logger } from '../logger';

// bigint columns (money in minor units, counters) stay below 2^53 by their checks, so a number holds them.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export const sequelize = new Sequelize(config.DATABASE_URL, {
  dialect: 'postgres',
  logging: false,
  pool: { max: config.DATABASE_POOL, min: 0, acquire: 5_000, idle: 30_000 },
  define: { underscored: true, timestamps: false },
});

/** Prepared statements of the hot paths, on connections of their own so that neither starves the other. */
export const pool = new pg.Pool({
  connectionString: config.DATABASE_URL,
  max: config.DATABASE_POOL,
  // Those that stay need no timer at each use.
  min: 2,
  connectionTimeoutMillis: 5_000,
});
// An idle connection that breaks must not end the process: the next query opens another.
pool.on('error', (error) => logger.warn({ reason: error.message }, 'an idle database connection broke'));

export type { Transaction };

/**
 * Two writes, one transaction; never around a workflow start or a provider call. READ COMMITTED, as PostgreSQL begins
 * them: to name it would be one more round trip in each.
 */
export function transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return sequelize.transaction(work);
}

/** A merchant's row, or `notFound`: another merchant's row is one that does not exist. */
export async function getOwned<M extends Model>(
  model: ModelStatic<M>,
  merchantId: number,
  id: number,
  notFound: ErrorCode,
  inTransaction?: Transaction,
): Promise<M> {
  const where = { id, merchantId } as unknown as WhereOptions;
  const row = await model.findOne({ where, ...(inTransaction && { transaction: inTransaction }) });
  if (!row) throw new AppError(notFound);
  return row;
}

/** The name of the unique constraint that an error tells of, if it does: PostgreSQL's own error, or Sequelize's about it. */
export function violatedConstraint(error: unknown): string | undefined {
  const told = toldBy(error);
  return told.code === '23505' ? told.constraint : undefined;
}

/** Whether a row could not be deleted because another one refers to it. */
export function isStillReferred(error: unknown): boolean {
  return toldBy(error).code === '23503';
}

type Told = { code?: string; constraint?: string };

function toldBy(error: unknown): Told {
  return (error as { parent?: Told }).parent ?? (error as Told);
}

export async function closeDatabase(): Promise<void> {
  await Promise.all([sequelize.close(), pool.end()]);
}
