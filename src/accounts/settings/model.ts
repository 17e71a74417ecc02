import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** A merchant that never changed anything has no row. */
export class MerchantSettings extends Model<
  InferAttributes<MerchantSettings>,
  InferCreationAttributes<MerchantSettings>
> {
  declare merchantId: number;
  /** How many sessions a consumer may have at once; null: any number. */
  declare sessionLimit: CreationOptional<number | null>;
  declare updatedAt: CreationOptional<Date>;
}

MerchantSettings.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    sessionLimit: DataTypes.INTEGER,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'merchant_settings' },
);
