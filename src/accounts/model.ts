import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';

export class Account extends Model<InferAttributes<Account>, InferCreationAttributes<Account>> {
  declare id: CreationOptional<number>;
  declare uuid: string;
  declare merchantId: number;
  declare merchantUuid: string;
  declare role: 'merchant' | 'consumer';
  declare email: string;
  declare emailNormalized: string;
  declare fullName: string;
  declare passwordHash: string;
  declare metadata: CreationOptional<Record<string, string>>;
  /** Where else the account signs in, `{name}` each. */
  declare socialAppsMetadata: CreationOptional<Record<string, string>[]>;
  declare referrer: CreationOptional<string>;
  /** `YYYY-MM-DD`. */
  declare dateOfBirth: CreationOptional<string | null>;
  declare isActive: CreationOptional<boolean>;
  declare activatedAt: CreationOptional<Date | null>;
  /** Its owner is to be forgotten: nothing is charged to it any more. */
  declare erasingAt: CreationOptional<Date | null>;
  /** Nobody's any more: the row never changes again. */
  declare erasedAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

Account.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    uuid: DataTypes.UUID,
    merchantId: DataTypes.INTEGER,
    merchantUuid: DataTypes.UUID,
    role: DataTypes.TEXT,
    email: DataTypes.TEXT,
    emailNormalized: DataTypes.TEXT,
    fullName: DataTypes.TEXT,
    passwordHash: DataTypes.TEXT,
    metadata: DataTypes.JSONB,
    socialAppsMetadata: DataTypes.JSONB,
    referrer: DataTypes.TEXT,
    dateOfBirth: DataTypes.DATEONLY,
    isActive: DataTypes.BOOLEAN,
    activatedAt: DataTypes.DATE,
    erasingAt: DataTypes.DATE,
    erasedAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'accounts' },
);
