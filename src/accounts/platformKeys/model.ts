import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** A merchant's keys of a video platform, sealed. */
export class PlatformKeys extends Model<InferAttributes<PlatformKeys>, InferCreationAttributes<PlatformKeys>> {
  declare merchantId: number;
  declare platform: string;
  declare sealedKeys: Buffer;
  declare updatedAt: CreationOptional<Date>;
}

PlatformKeys.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    platform: { type: DataTypes.TEXT, primaryKey: true },
    sealedKeys: DataTypes.BLOB,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'platform_keys' },
);
