import { integer, modelOf, nullable, serial, text } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { type ListType } from '../restrictions/restrictions.model';

/**
 * A domain in an item's list or in the merchant's list (`itemId` null). A list has a domain once, in one of the two
 * types.
 */
export class DomainRestriction extends modelOf({
  id: serial(),
  merchantId: integer(),
  itemId: nullable(integer()),
  type: text<ListType>(),
  domain: text(),
}) {}
DomainRestriction.init(DomainRestriction.columns, { sequelize, tableName: 'domain_restrictions' });

/** The owner of a list: an item, or the merchant (`itemId` null). */
export interface DomainListKey {
  merchantId: number;
  itemId: number | null;
}

export interface DomainEntry {
  /** Undefined for a new entry. */
  id: number | undefined;
  type: ListType;
  domain: string;
}

/** The current list. It is locked with the merchant's other lists until the transaction ends. */
export async function readListToChange(inTransaction: Transaction, key: DomainListKey): Promise<DomainRestriction[]> {
  await execute(inTransaction, 'SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [key.merchantId]);
  return DomainRestriction.findAll({ where: { ...key }, order: ['id'], transaction: inTransaction });
}

/** Replaces a list. Ids and domains may be in any order, so entries may exchange their domains. */
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
