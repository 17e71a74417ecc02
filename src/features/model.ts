import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';

export class FeatureFlag extends Model<InferAttributes<FeatureFlag>, InferCreationAttributes<FeatureFlag>> {
  declare merchantId: number;
  declare name: string;
  declare enabled: boolean;
  declare updatedAt: CreationOptional<Date>;
}

FeatureFlag.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    name: { type: DataTypes.TEXT, primaryKey: true },
    enabled: DataTypes.BOOLEAN,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'feature_flags' },
);
