import { bytes, defaulted, integer, key, modelOf, nullable, text, texts, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** A merchant's settings for signed media. A merchant that never changed a setting has no row. */
export class MediaSettings extends modelOf({
  merchantId: key(integer()),
  sealedMediaSecret: nullable(bytes()),
  keyPairId: nullable(text()),
  sealedPrivateKey: nullable(bytes()),
  hosts: defaulted(texts()),
  updatedAt: defaulted(time()),
}) {}
MediaSettings.init(MediaSettings.columns, { sequelize, tableName: 'media_settings' });

const holdersStatement = statement<{ id: number }>(
  'media_holders',
  'SELECT id FROM items WHERE merchant_id = $1 AND external_id = $2 ORDER BY id DESC LIMIT 10',
);

/** The items with a medium of a platform, newest first. */
export async function listHolders(merchantId: number, mediaId: string): Promise<number[]> {
  const rows = await holdersStatement([merchantId, mediaId]);
  return rows.map(({ id }) => id);
}
