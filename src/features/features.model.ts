import { boolean, defaulted, integer, key, modelOf, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export class FeatureFlag extends modelOf({
  merchantId: key(integer()),
  name: key(text()),
  enabled: boolean(),
  updatedAt: defaulted(time()),
}) {}
FeatureFlag.init(FeatureFlag.columns, { sequelize, tableName: 'feature_flags' });

const offStatement = statement<{ name: string }>(
  'features_off',
  `SELECT name FROM feature_flags WHERE NOT enabled
     AND merchant_id = (SELECT coalesce($1, (SELECT id FROM accounts WHERE uuid = $2::uuid AND id = merchant_id)))`,
);

/** The given merchants that have turned a flag off; `$1` is the flag's name, `$2` the ids. */
export const selectWithout = statement<{ merchant_id: number }>(
  'features_without',
  'SELECT merchant_id FROM feature_flags WHERE NOT enabled AND name = $1 AND merchant_id = ANY($2)',
);

/** The flags that are off for the merchant with this id or this uuid. */
export function selectOff(merchantId: number | null, uuid: string | null): Promise<{ name: string }[]> {
  return offStatement([merchantId, uuid]);
}
