import { bytes, defaulted, integer, key, modelOf, text, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';

/** A merchant's keys of a video platform, encrypted. */
export class PlatformKeys extends modelOf({
  merchantId: key(integer()),
  platform: key(text()),
  sealedKeys: bytes(),
  updatedAt: defaulted(time()),
}) {}
PlatformKeys.init(PlatformKeys.columns, { sequelize, tableName: 'platform_keys' });
