import type pg from 'pg';

/** The SQL of the order of a dictionary, without regard to case. The indexes of names have the same expression. */
export const nameOrder = <const Column extends string>(column: Column) =>
  `lower(${column} COLLATE name_order)` as const;

/**
 * Builds the indexes of names again if ICU was updated since, because the update can have changed their order. Needs the owner of
 * the tables. Others keep reading and writing.
 */
export async function refreshNameOrder(client: pg.Client): Promise<void> {
  const { rows: outdated } = await client.query(
    `SELECT FROM pg_collation WHERE oid = to_regcollation('name_order')
       AND collversion IS DISTINCT FROM pg_collation_actual_version(oid)`,
  );
  if (outdated.length === 0) return;
  const { rows: indexes } = await client.query<{ name: string }>(
    `SELECT DISTINCT objid::regclass::text AS name FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'i'
     WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_collation'::regclass
       AND d.refobjid = to_regcollation('name_order') ORDER BY 1`,
  );
  for (const { name } of indexes) await client.query(`REINDEX INDEX CONCURRENTLY ${name}`);
  await client.query('ALTER COLLATION name_order REFRESH VERSION');
}
