import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

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

const offStatement = statement<{ name: string }>(
  'features_off',
  `SELECT name FROM feature_flags WHERE NOT enabled
     AND merchant_id = coalesce($1, (SELECT id FROM accounts WHERE uuid = $2::uuid AND id = merchant_id))`,
);

/** Of many merchants at once: by the flag's name, and their ids. */
export const selectWithout = statement<{ merchant_id: number }>(
  'features_without',
  'SELECT merchant_id FROM feature_flags WHERE NOT enabled AND name = $1 AND merchant_id = ANY($2)',
);

/** Of the merchant with this id, or this uuid. */
export function selectOff(merchantId: number | null, uuid: string | null): Promise<{ name: string }[]> {
  return offStatement([merchantId, uuid]);
}
