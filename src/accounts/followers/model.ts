import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
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

const methodStatement = statement<{ isAllowed: boolean }>(
  'follower_method',
  `SELECT (methods->>$2)::boolean IS DISTINCT FROM false AS "isAllowed" FROM follower_relations WHERE follower_id = $1`,
);

/** False where the master of a merchant has switched a payment method off. */
export async function isMethodAllowed(merchantId: number, methodId: number): Promise<boolean> {
  const [relation] = await methodStatement([merchantId, String(methodId)]);
  return relation?.isAllowed ?? true;
}

FollowerRelation.belongsTo(Account, { as: 'follower', foreignKey: 'followerId' });
