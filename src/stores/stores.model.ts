import { boolean, bytes, defaulted, integer, key, modelOf, nullable, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** A merchant's sealed credentials for a store, and the names by which notifications are matched to it. */
export class StoreCredentialsRow extends modelOf({
  merchantId: key(integer()),
  store: key(text()),
  app: text(),
  /** The Amazon SNS topic. */
  topic: nullable(text()),
  sealedCredentials: bytes(),
  updatedAt: defaulted(time()),
}) {}
StoreCredentialsRow.init(StoreCredentialsRow.columns, { sequelize, tableName: 'store_credentials' });

/** A merchant with only default settings has no row. */
export class StoreSettings extends modelOf({
  merchantId: key(integer()),
  transferPolicy: defaulted(text<'keep' | 'transfer_if_inactive' | 'transfer'>()),
  sandboxPurchases: defaulted(boolean()),
  unmappedProducts: defaulted(boolean()),
  /** Whether customers consent to the transfer of consumption data to Apple when they request a refund. */
  consumptionConsent: defaulted(boolean()),
  updatedAt: defaulted(time()),
}) {}
StoreSettings.init(StoreSettings.columns, { sequelize, tableName: 'store_settings' });

const ofAppStatement = statement<{ merchantId: number; sealedCredentials: Buffer }>(
  'store_credentials_of_app',
  `SELECT merchant_id AS "merchantId", sealed_credentials AS "sealedCredentials" FROM store_credentials
   WHERE store = $1 AND (app = $2 OR topic = $3) ORDER BY merchant_id LIMIT 20`,
);

/** Merchants may share an app, for example a test account and the real one. */
export function listCredentialsOfApp(store: string, app: string | undefined, topic: string | undefined) {
  return ofAppStatement([store, app ?? null, topic ?? null]);
}
