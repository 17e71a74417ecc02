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
  /** How long access goes on after a failed payment; null: the default. */
  declare graceDays: CreationOptional<number | null>;
  /** When a failed payment is tried again; null: the default. */
  declare retryDays: CreationOptional<number[] | null>;
  declare updatedAt: CreationOptional<Date>;
}

MerchantSettings.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    sessionLimit: DataTypes.INTEGER,
    graceDays: DataTypes.INTEGER,
    retryDays: DataTypes.ARRAY(DataTypes.INTEGER),
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'merchant_settings' },
);
