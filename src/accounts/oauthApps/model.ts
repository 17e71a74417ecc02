import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { Account } from '../model';

export class OauthApp extends Model<InferAttributes<OauthApp>, InferCreationAttributes<OauthApp>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare clientId: string;
  declare name: string;
  declare isActive: CreationOptional<boolean>;
  declare isDefault: CreationOptional<boolean>;
  declare grantTypes: string[];
  declare sso: CreationOptional<boolean>;
  declare redirectUris: CreationOptional<string[]>;
  /** SHA-256: the secret itself has 256 bits, so it needs no slow hash. */
  declare secretHash: CreationOptional<Buffer | null>;
  declare merchant?: Account;
}

OauthApp.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    clientId: DataTypes.TEXT,
    name: DataTypes.TEXT,
    isActive: DataTypes.BOOLEAN,
    isDefault: DataTypes.BOOLEAN,
    grantTypes: DataTypes.ARRAY(DataTypes.TEXT),
    sso: DataTypes.BOOLEAN,
    redirectUris: DataTypes.ARRAY(DataTypes.TEXT),
    secretHash: DataTypes.BLOB,
  },
  { sequelize, tableName: 'oauth_apps' },
);

OauthApp.belongsTo(Account, { as: 'merchant', foreignKey: 'merchantId' });
