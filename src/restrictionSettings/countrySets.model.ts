import { integer, key, modelOf, text } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { setColumns } from './sets.model';

export class CountrySet extends modelOf(setColumns()) {
  declare countries?: CountrySetCountry[];
}

CountrySet.init(CountrySet.columns, { sequelize, tableName: 'country_sets' });

export class CountrySetCountry extends modelOf({
  merchantId: integer(),
  countrySetId: key(integer()),
  country: key(text()),
}) {}
CountrySetCountry.init(CountrySetCountry.columns, { sequelize, tableName: 'country_set_countries' });

CountrySet.hasMany(CountrySetCountry, { as: 'countries', foreignKey: 'countrySetId' });

/** An item has at most one set. */
export class ItemCountrySet extends modelOf({
  merchantId: key(integer()),
  itemId: key(integer()),
  countrySetId: integer(),
}) {}
ItemCountrySet.init(ItemCountrySet.columns, { sequelize, tableName: 'item_country_sets' });

export async function applyToItem(
  inTransaction: Transaction,
  { merchantId, itemId, setId }: { merchantId: number; itemId: number; setId: number },
): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO item_country_sets (merchant_id, item_id, country_set_id) VALUES ($1, $2, $3)
     ON CONFLICT (merchant_id, item_id) DO UPDATE SET country_set_id = excluded.country_set_id`,
    [merchantId, itemId, setId],
  );
}
