import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';

/**
 * An export or an erasure of an account, one at a time. A finished erasure stays as its tombstone: it holds ids and times.
 * `token` names its workflow: a restored backup gives ids out again, and never a token.
 */
export class AccountOperation extends Model<
  InferAttributes<AccountOperation>,
  InferCreationAttributes<AccountOperation>
> {
  declare id: CreationOptional<number>;
  declare token: CreationOptional<string>;
  declare merchantId: number;
  declare accountId: number;
  declare kind: 'export' | 'erasure';
  declare state: CreationOptional<'running' | 'done' | 'cancelled'>;
  declare brandingId: CreationOptional<number | null>;
  declare createdAt: CreationOptional<Date>;
  declare endedAt: CreationOptional<Date | null>;
}

AccountOperation.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.UUID,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    kind: DataTypes.TEXT,
    state: DataTypes.TEXT,
    brandingId: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    endedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'account_operations' },
);

export function getOperation(id: number, inTransaction?: Transaction): Promise<AccountOperation> {
  return AccountOperation.findByPk(id, {
    rejectOnEmpty: true,
    ...(inTransaction && { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE }),
  });
}
