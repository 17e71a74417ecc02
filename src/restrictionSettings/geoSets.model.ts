import { integer, modelOf, nullable, serial, text } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { setColumns } from './sets.model';

export class GeoSet extends modelOf(setColumns()) {
  declare places?: GeoSetPlace[];
}

GeoSet.init(GeoSet.columns, { sequelize, tableName: 'geo_sets' });

/**
 * A country has a code, a region has a code, and a city has a name, the code of its country and optionally that of its
 * region.
 */
export class GeoSetPlace extends modelOf({
  id: serial(),
  merchantId: integer(),
  geoSetId: integer(),
  kind: text<'country' | 'region' | 'city'>(),
  country: nullable(text()),
  region: nullable(text()),
  city: nullable(text()),
}) {}
GeoSetPlace.init(GeoSetPlace.columns, { sequelize, tableName: 'geo_set_places' });

GeoSet.hasMany(GeoSetPlace, { as: 'places', foreignKey: 'geoSetId' });
