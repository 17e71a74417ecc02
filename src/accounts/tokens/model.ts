import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

export class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
  declare id: string;
  declare merchantId: number;
  declare accountId: number;
  declare clientId: string;
  /** How it was opened: what a client had to prove then, it proves again to renew. */
  declare grantType: CreationOptional<string>;
  /** Null: whatever the account may do. */
  declare scopes: CreationOptional<string[] | null>;
  /** Who acts in the account's name, and the session that ends this one with itself. */
  declare actorUuid: CreationOptional<string | null>;
  declare actorSessionId: CreationOptional<string | null>;
  declare createdAt: CreationOptional<Date>;
  declare expiresAt: Date;
  declare revokedAt: CreationOptional<Date | null>;
}

Session.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    clientId: DataTypes.TEXT,
    grantType: DataTypes.TEXT,
    scopes: DataTypes.ARRAY(DataTypes.TEXT),
    actorUuid: DataTypes.UUID,
    actorSessionId: DataTypes.UUID,
    createdAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    revokedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'sessions' },
);
