import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { type ListType } from '../model';

export class CountrySet extends Model<InferAttributes<CountrySet>, InferCreationAttributes<CountrySet>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare name: string;
  declare type: ListType;
  declare isGlobal: boolean;
  declare createdAt: CreationOptional<Date>;
  declare countries?: CountrySetCountry[];
}

CountrySet.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    type: DataTypes.TEXT,
    isGlobal: DataTypes.BOOLEAN,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'country_sets' },
);

export class CountrySetCountry extends Model<
  InferAttributes<CountrySetCountry>,
  InferCreationAttributes<CountrySetCountry>
> {
  declare merchantId: number;
  declare countrySetId: number;
  declare country: string;
}

CountrySetCountry.init(
  {
    merchantId: DataTypes.INTEGER,
    countrySetId: { type: DataTypes.INTEGER, primaryKey: true },
    country: { type: DataTypes.TEXT, primaryKey: true },
  },
  { sequelize, tableName: 'country_set_countries' },
);

CountrySet.hasMany(CountrySetCountry, { as: 'countries', foreignKey: 'countrySetId' });

/** The one set of an item. */
export class ItemCountrySet extends Model<InferAttributes<ItemCountrySet>, InferCreationAttributes<ItemCountrySet>> {
  declare merchantId: number;
  declare itemId: number;
  declare countrySetId: number;
}

ItemCountrySet.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    itemId: { type: DataTypes.INTEGER, primaryKey: true },
    countrySetId: DataTypes.INTEGER,
  },
  { sequelize, tableName: 'item_country_sets' },
);

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
