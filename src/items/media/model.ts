import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** How a merchant's media are signed. One that never set anything has no row. */
export class MediaSettings extends Model<InferAttributes<MediaSettings>, InferCreationAttributes<MediaSettings>> {
  declare merchantId: number;
  declare sealedMediaSecret: CreationOptional<Buffer | null>;
  declare keyPairId: CreationOptional<string | null>;
  declare sealedPrivateKey: CreationOptional<Buffer | null>;
  declare hosts: CreationOptional<string[]>;
  declare updatedAt: CreationOptional<Date>;
}

MediaSettings.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    sealedMediaSecret: DataTypes.BLOB,
    keyPairId: DataTypes.TEXT,
    sealedPrivateKey: DataTypes.BLOB,
    hosts: DataTypes.ARRAY(DataTypes.TEXT),
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'media_settings' },
);

const holdersStatement = statement<{ id: number }>(
  'media_holders',
  'SELECT id FROM items WHERE merchant_id = $1 AND external_id = $2 ORDER BY id DESC LIMIT 10',
);

/** The items that hold a medium of a platform, the newest first. */
export async function listHolders(merchantId: number, mediaId: string): Promise<number[]> {
  const rows = await holdersStatement([merchantId, mediaId]);
  return rows.map(({ id }) => id);
}
