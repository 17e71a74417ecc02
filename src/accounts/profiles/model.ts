import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

export class Profile extends Model<InferAttributes<Profile>, InferCreationAttributes<Profile>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  declare name: string;
  declare avatarUrl: CreationOptional<string>;
  declare isAdult: boolean;
  declare pinHash: string | null;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

Profile.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    avatarUrl: DataTypes.TEXT,
    isAdult: DataTypes.BOOLEAN,
    pinHash: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'profiles' },
);
