import { defaulted, integer, modelOf, nullable, serial, text, time, uuid } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';

/**
 * An export or an erasure of an account; one at a time. A finished erasure stays as a tombstone with ids and times.
 * `token` names its workflow, because a restored backup assigns ids again, but never tokens.
 */
export class AccountOperation extends modelOf({
  id: serial(),
  token: defaulted(uuid()),
  merchantId: integer(),
  accountId: integer(),
  kind: text<'export' | 'erasure'>(),
  state: defaulted(text<'running' | 'done' | 'cancelled'>()),
  brandingId: nullable(integer()),
  createdAt: defaulted(time()),
  endedAt: nullable(time()),
  /** When the run's next step is due; null if nothing is left to do. An erasure has steps after its end. */
  nextDueAt: nullable(time()),
}) {}
AccountOperation.init(AccountOperation.columns, { sequelize, tableName: 'account_operations' });

export function getOperation(id: number, inTransaction?: Transaction): Promise<AccountOperation> {
  return AccountOperation.findByPk(id, {
    rejectOnEmpty: true,
    ...(inTransaction && { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE }),
  });
}
