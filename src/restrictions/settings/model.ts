import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** Every merchant has a row from its registration on. */
export class RestrictionSettings extends Model<
  InferAttributes<RestrictionSettings>,
  InferCreationAttributes<RestrictionSettings>
> {
  declare merchantId: number;
  declare ageVerificationEnabled: CreationOptional<boolean>;
  declare ageVerificationType: CreationOptional<'basic' | 'pin_code'>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

RestrictionSettings.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    ageVerificationEnabled: DataTypes.BOOLEAN,
    ageVerificationType: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'restriction_settings' },
);
