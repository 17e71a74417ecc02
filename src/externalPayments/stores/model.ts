import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** What a merchant has of a store, sealed, and by which names the store's notifications are its own. */
export class StoreCredentialsRow extends Model<
  InferAttributes<StoreCredentialsRow>,
  InferCreationAttributes<StoreCredentialsRow>
> {
  declare merchantId: number;
  declare store: string;
  declare app: string;
  /** Amazon's. */
  declare topic: CreationOptional<string | null>;
  declare sealedCredentials: Buffer;
  declare updatedAt: CreationOptional<Date>;
}

StoreCredentialsRow.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    store: { type: DataTypes.TEXT, primaryKey: true },
    app: DataTypes.TEXT,
    topic: DataTypes.TEXT,
    sealedCredentials: DataTypes.BLOB,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'store_credentials' },
);

/** A merchant that never changed anything has no row. */
export class StoreSettings extends Model<InferAttributes<StoreSettings>, InferCreationAttributes<StoreSettings>> {
  declare merchantId: number;
  declare transferPolicy: CreationOptional<'keep' | 'transfer_if_inactive' | 'transfer'>;
  declare sandboxPurchases: CreationOptional<boolean>;
  declare updatedAt: CreationOptional<Date>;
}

StoreSettings.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    transferPolicy: DataTypes.TEXT,
    sandboxPurchases: DataTypes.BOOLEAN,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'store_settings' },
);

const ofAppStatement = statement<{ merchantId: number; sealedCredentials: Buffer }>(
  'store_credentials_of_app',
  `SELECT merchant_id AS "merchantId", sealed_credentials AS "sealedCredentials" FROM store_credentials
   WHERE store = $1 AND (app = $2 OR topic = $3) ORDER BY merchant_id LIMIT 20`,
);

/** Merchants may share an app, as a test account and the real one do. */
export function listCredentialsOfApp(store: string, app: string | undefined, topic: string | undefined) {
  return ofAppStatement([store, app ?? null, topic ?? null]);
}
