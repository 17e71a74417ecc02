import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { type ListType } from '../model';

/** One domain of an item's list, or of the merchant's (`itemId` null). It is in a list once, on one side. */
export class DomainRestriction extends Model<
  InferAttributes<DomainRestriction>,
  InferCreationAttributes<DomainRestriction>
> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare itemId: number | null;
  declare type: ListType;
  declare domain: string;
}

DomainRestriction.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    type: DataTypes.TEXT,
    domain: DataTypes.TEXT,
  },
  { sequelize, tableName: 'domain_restrictions' },
);

/** Whose list: an item's, or the merchant's (`itemId` null). */
export interface DomainListKey {
  merchantId: number;
  itemId: number | null;
}

export interface DomainEntry {
  /** Undefined: a new one. */
  id: number | undefined;
  type: ListType;
  domain: string;
}

/** A list as it stands, locked with its merchant's other lists until the transaction ends. */
export async function readListToChange(inTransaction: Transaction, key: DomainListKey): Promise<DomainRestriction[]> {
  await execute(inTransaction, 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [key.merchantId]);
  return DomainRestriction.findAll({ where: { ...key }, order: ['id'], transaction: inTransaction });
}

/** Makes a list what is given, in any order of ids and domains: entries may take each other's places. */
export async function replaceList(
  inTransaction: Transaction,
  { merchantId, itemId }: DomainListKey,
  entries: readonly DomainEntry[],
): Promise<void> {
  await DomainRestriction.destroy({ where: { merchantId, itemId }, transaction: inTransaction });
  await execute(
    inTransaction,
    `INSERT INTO domain_restrictions (id, merchant_id, item_id, type, domain)
     SELECT coalesce(id, nextval(pg_get_serial_sequence('domain_restrictions', 'id'))), $1, $2, type, domain
     FROM unnest($3::int[], $4::text[], $5::text[]) WITH ORDINALITY AS entry (id, type, domain, place) ORDER BY place`,
    [
      merchantId,
      itemId,
      entries.map(({ id }) => id ?? null),
      entries.map(({ type }) => type),
      entries.map(({ domain }) => domain),
    ],
  );
}
