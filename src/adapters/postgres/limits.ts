import { type Model, type ModelStatic, type Transaction, type WhereOptions } from 'sequelize';
import { execute } from './statement';

/**
 * Whether a merchant has `max` rows of a model already. A lock is held until the commit, so that concurrent requests
 * cannot exceed the limit.
 */
export async function isAtLimit<M extends Model>(
  model: ModelStatic<M>,
  { merchantId, max }: { merchantId: number; max: number },
  inTransaction: Transaction,
): Promise<boolean> {
  await execute(inTransaction, 'SELECT pg_advisory_xact_lock(hashtext($1), $2)', [model.tableName, merchantId]);
  const where = { merchantId } as unknown as WhereOptions;
  return (await model.count({ where, transaction: inTransaction })) >= max;
}
