import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';

/** A minimum age: of an item, or of everything that the merchant has (`itemId` null). One of each at most. */
export class AgeRestriction extends Model<InferAttributes<AgeRestriction>, InferCreationAttributes<AgeRestriction>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare itemId: number | null;
  declare minAge: number;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

AgeRestriction.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    minAge: DataTypes.INTEGER,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'age_restrictions' },
);

/** Sequelize has no upsert for a key that may be null. */
export async function saveMinAge(
  inTransaction: Transaction,
  { merchantId, itemId, minAge }: { merchantId: number; itemId: number | null; minAge: number },
): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, $3)
     ON CONFLICT ON CONSTRAINT age_restrictions_place DO UPDATE SET min_age = excluded.min_age, updated_at = now()`,
    [merchantId, itemId, minAge],
  );
}
