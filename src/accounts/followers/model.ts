import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { Account } from '../model';

/** A follower has one master, for good; a removed relation keeps the place and gives nothing. */
export class FollowerRelation extends Model<
  InferAttributes<FollowerRelation>,
  InferCreationAttributes<FollowerRelation>
> {
  declare followerId: number;
  declare masterId: number;
  declare scopes: string[];
  declare methods: CreationOptional<Record<string, boolean>>;
  declare createdAt: CreationOptional<Date>;
  declare removedAt: CreationOptional<Date | null>;
  declare follower?: Account;
}

FollowerRelation.init(
  {
    followerId: { type: DataTypes.INTEGER, primaryKey: true },
    masterId: DataTypes.INTEGER,
    scopes: DataTypes.ARRAY(DataTypes.TEXT),
    methods: DataTypes.JSONB,
    createdAt: DataTypes.DATE,
    removedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'follower_relations' },
);

FollowerRelation.belongsTo(Account, { as: 'follower', foreignKey: 'followerId' });
