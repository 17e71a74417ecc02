import { defaulted, integer, modelOf, nullable, serial, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';

/** A minimum age of an item, or of all items of the merchant (`itemId` null). At most one of each. */
export class AgeRestriction extends modelOf({
  id: serial(),
  merchantId: integer(),
  itemId: nullable(integer()),
  minAge: integer(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
AgeRestriction.init(AgeRestriction.columns, { sequelize, tableName: 'age_restrictions' });

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
