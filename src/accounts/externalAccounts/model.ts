import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** An account at a live-chat partner: one an integration and account of ours. */
export class ExternalAccount extends Model<InferAttributes<ExternalAccount>, InferCreationAttributes<ExternalAccount>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  /** The item whose chat was joined last. */
  declare itemId: number;
  declare integration: string;
  declare nickname: string;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

ExternalAccount.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    integration: DataTypes.TEXT,
    nickname: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'external_accounts' },
);
