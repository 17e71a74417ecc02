import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { type ListType } from '../model';

export class GeoSet extends Model<InferAttributes<GeoSet>, InferCreationAttributes<GeoSet>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare name: string;
  declare type: ListType;
  declare isGlobal: boolean;
  declare createdAt: CreationOptional<Date>;
  declare places?: GeoSetPlace[];
}

GeoSet.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    type: DataTypes.TEXT,
    isGlobal: DataTypes.BOOLEAN,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'geo_sets' },
);

/** A country has a code, a region a code, a city a name with its country's code and perhaps its region's. */
export class GeoSetPlace extends Model<InferAttributes<GeoSetPlace>, InferCreationAttributes<GeoSetPlace>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare geoSetId: number;
  declare kind: 'country' | 'region' | 'city';
  declare country: string | null;
  declare region: string | null;
  declare city: string | null;
}

GeoSetPlace.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    geoSetId: DataTypes.INTEGER,
    kind: DataTypes.TEXT,
    country: DataTypes.TEXT,
    region: DataTypes.TEXT,
    city: DataTypes.TEXT,
  },
  { sequelize, tableName: 'geo_set_places' },
);

GeoSet.hasMany(GeoSetPlace, { as: 'places', foreignKey: 'geoSetId' });
