import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

export class Session extends Model<InferAttributes<Session>, InferCreationAttributes<Session>> {
  declare id: string;
  declare merchantId: number;
  declare accountId: number;
  declare clientId: string;
  declare expiresAt: Date;
  declare revokedAt: CreationOptional<Date | null>;
}

Session.init(
  {
    id: { type: DataTypes.UUID, primaryKey: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    clientId: DataTypes.TEXT,
    expiresAt: DataTypes.DATE,
    revokedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'sessions' },
);

export class RefreshToken extends Model<InferAttributes<RefreshToken>, InferCreationAttributes<RefreshToken>> {
  declare tokenHash: Buffer;
  declare sessionId: string;
  declare expiresAt: Date;
  declare usedAt: CreationOptional<Date | null>;
}

RefreshToken.init(
  {
    tokenHash: { type: DataTypes.BLOB, primaryKey: true },
    sessionId: DataTypes.UUID,
    expiresAt: DataTypes.DATE,
    usedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'refresh_tokens' },
);
