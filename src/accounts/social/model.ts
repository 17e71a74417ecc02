import { DataTypes, Model, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** Who an account is at a provider. */
export class SocialIdentity extends Model<InferAttributes<SocialIdentity>, InferCreationAttributes<SocialIdentity>> {
  declare merchantId: number;
  declare provider: string;
  declare subject: string;
  declare accountId: number;
}

SocialIdentity.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    provider: { type: DataTypes.TEXT, primaryKey: true },
    subject: { type: DataTypes.TEXT, primaryKey: true },
    accountId: DataTypes.INTEGER,
  },
  { sequelize, tableName: 'social_identities' },
);

/** A sign-in under way: by the hash of its state, and of the secret that only the browser holds. */
export class SocialSignIn extends Model<InferAttributes<SocialSignIn>, InferCreationAttributes<SocialSignIn>> {
  declare stateHash: Buffer;
  declare verifierHash: Buffer;
  declare provider: string;
  declare clientId: string;
  declare redirect: string;
  declare expiresAt: Date;
}

SocialSignIn.init(
  {
    stateHash: { type: DataTypes.BLOB, primaryKey: true },
    verifierHash: DataTypes.BLOB,
    provider: DataTypes.TEXT,
    clientId: DataTypes.TEXT,
    redirect: DataTypes.TEXT,
    expiresAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'social_sign_ins' },
);
