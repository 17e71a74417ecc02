import { type Model, type ModelStatic, type Transaction, type WhereOptions } from 'sequelize';
import { execute } from './statement';

/**
 * Whether a merchant has `max` rows of a model already. `where`: counts only the rows with these values. A lock is held until
 * the commit, so that concurrent requests cannot exceed the limit.
 */
export async function isAtLimit<M extends Model>(
  model: ModelStatic<M>,
  { merchantId, max, where: own = {} }: { merchantId: number; max: number; where?: object },
  inTransaction: Transaction,
): Promise<boolean> {
  await execute(inTransaction, 'SELECT pg_advisory_xact_lock(hashtext($1), $2)', [model.tableName, merchantId]);
  const where = { merchantId, ...own } as unknown as WhereOptions;
  return (await model.count({ where, transaction: inTransaction })) >= max;
}
