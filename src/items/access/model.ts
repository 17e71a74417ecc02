import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** An entitlement: `source` says what gave it, `sourceId` which one, so that each gives one row. */
export class Access extends Model<InferAttributes<Access>, InferCreationAttributes<Access>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: CreationOptional<number | null>;
  declare source: 'subscription';
  declare sourceId: number;
  declare environment: string;
  declare ipAddress: CreationOptional<string>;
  declare startsAt: Date;
  declare expiresAt: Date;
  declare revokedAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
}

Access.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    source: DataTypes.TEXT,
    sourceId: DataTypes.INTEGER,
    environment: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    startsAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    revokedAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'accesses' },
);
