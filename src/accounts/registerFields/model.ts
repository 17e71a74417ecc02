import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

export class RegisterField extends Model<InferAttributes<RegisterField>, InferCreationAttributes<RegisterField>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare name: string;
  declare label: string;
  declare type: string;
  declare isRequired: boolean;
  declare defaultValue: CreationOptional<string>;
  declare placeholder: CreationOptional<string>;
  /** Value → what people read. Empty: any value. */
  declare options: CreationOptional<Record<string, string>>;
}

RegisterField.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    label: DataTypes.TEXT,
    type: DataTypes.TEXT,
    isRequired: DataTypes.BOOLEAN,
    defaultValue: DataTypes.TEXT,
    placeholder: DataTypes.TEXT,
    options: DataTypes.JSON,
  },
  { sequelize, tableName: 'register_fields' },
);
