import { type Client } from 'pg';

/** Rows that were written since a moment, and copies of them with ids of their own. */

interface Column {
  name: string;
  type: string;
  isIdentity: boolean;
}

/** A column that names a row of another table. */
interface Reference {
  column: string;
  table: string;
  target: string;
}

interface Table {
  name: string;
  columns: Column[];
  primaryKey: string[];
  references: Reference[];
  /** The columns of each unique index. */
  uniqueIndexes: string[][];
}

/** Columns that name rows without a foreign key. */
const otherReferences: Record<string, Reference> = {
  accesses: { column: 'source_id', table: 'subscriptions', target: 'id' },
};

/** One row of these is about many purchases, so that a copy of a purchase has none. */
const sharedTables: ReadonlySet<string> = new Set(['daily_figures', 'run_rounds']);

/** Copies are this far apart, so it is more than the largest id among the rows. */
const stride = 1_000;
/** The times of the copies spread over so many days, except those of sessions. The period of a purchase is longer. */
const days = 28;

/** Remembers which rows exist. The notes are temporary tables, so all functions of this file need the same `client`. */
export async function markRows(client: Client): Promise<Table[]> {
  const tables = (await client.query<Table>(tablesText)).rows.filter(({ name }) => !sharedTables.has(name));
  for (const { name, primaryKey } of tables)
    await client.query(`CREATE TEMP TABLE before_${name} AS SELECT ${primaryKey.join(', ')} FROM public.${name}`);
  return tables;
}

/**
 * Finds the rows that were written after `markRows`, and the rows of `accountId`. Returns the tables that have some, and
 * how many.
 */
export async function takeRows(client: Client, tables: readonly Table[], accountId: number) {
  const counts = new Map<string, number>();
  for (const { name, primaryKey } of tables) {
    const isSame = primaryKey.map((column) => `b.${column} = t.${column}`).join(' AND ');
    const owner = { accounts: 't.id', sessions: 't.account_id' }[name];
    const isOwn = owner === undefined ? 'false' : `${owner} = ${accountId}`;
    const { rowCount } = await client.query(
      `CREATE TEMP TABLE template_${name} AS SELECT t.* FROM public.${name} t
       WHERE NOT EXISTS (SELECT FROM before_${name} b WHERE ${isSame}) OR ${isOwn}`,
    );
    if (rowCount) counts.set(name, rowCount);
  }
  return counts;
}

/** Writes copies 1 to `copies` of the rows that `takeRows` has found. */
export async function copyRows(
  client: Client,
  tables: readonly Table[],
  copied: ReadonlySet<string>,
  copies: number,
): Promise<void> {
  // The references are correct by construction. To check all of them would take most of the time.
  await client.query('SET session_replication_role = replica');
  await client.query('SET synchronous_commit = off');
  await client.query('SET statement_timeout = 0');
  for (const table of tables.filter(({ name }) => copied.has(name))) {
    await refuseLargeIds(client, table);
    const columns = table.columns.map(({ name }) => name).join(', ');
    const values = valuesOf(table, copied).join(', ');
    await client.query(
      `INSERT INTO public.${table.name} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${values} FROM template_${table.name} t CROSS JOIN generate_series(1, ${copies}) AS n`,
    );
    for (const { name } of table.columns.filter(({ isIdentity }) => isIdentity))
      await client.query(
        `SELECT setval(pg_get_serial_sequence('public.${table.name}', '${name}'), (SELECT max(${name}) FROM public.${table.name}))`,
      );
  }
  await client.query('SET session_replication_role = origin');
}

/** Otherwise a copy would get the id of another row. */
async function refuseLargeIds(client: Client, { name, columns }: Table): Promise<void> {
  for (const { name: column } of columns.filter(({ isIdentity }) => isIdentity)) {
    const text = `SELECT FROM template_${name} WHERE ${column} >= ${stride}`;
    if ((await client.query(text)).rowCount) throw new Error(`${name}.${column} has ids of ${stride} or more.`);
  }
}

function valuesOf(table: Table, copied: ReadonlySet<string>): string[] {
  const own = otherReferences[table.name];
  const references = [...table.references, ...(own ? [own] : [])].filter(({ table: target }) => copied.has(target));
  const varied = new Set([...references.map(({ column }) => column), ...table.columns.filter(isKey).map(nameOf)]);
  for (const columns of table.uniqueIndexes)
    if (!columns.some((column) => varied.has(column))) {
      const canVary = (name: string) => name !== 'merchant_id' && plainTypes.has(typeOf(table, name));
      const last = columns.findLast(canVary);
      if (last !== undefined) varied.add(last);
    }
  return table.columns.map((column) => {
    const value = `t.${column.name}`;
    const reference = references.find((one) => one.column === column.name);
    if (reference)
      return `CASE WHEN ${value} IN (SELECT ${reference.target} FROM template_${reference.table})
        THEN ${variedValue(column)} ELSE ${value} END`;
    if (column.type === 'timestamptz' && table.name !== 'sessions') return `${value} - n % ${days} * interval '1 day'`;
    return varied.has(column.name) ? variedValue(column) : value;
  });
}

/** The values of a domain may be limited. */
const plainTypes: ReadonlySet<string> = new Set(['text', 'uuid', 'int4', 'int8']);
const typeOf = ({ columns }: Table, name: string) => columns.find((column) => column.name === name)?.type ?? '';

const nameOf = ({ name }: Column) => name;
const isKey = ({ isIdentity, name, type }: Column) => isIdentity || (name === 'id' && type === 'uuid');

function variedValue({ name, type }: Column): string {
  const value = `t.${name}`;
  // Version 4, as the product expects.
  if (type === 'uuid')
    return `overlay(overlay(md5(${value}::text || n) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid`;
  return /^int/.test(type) ? `${value} + n * ${stride}` : `${value} || '-' || n`;
}

const tablesText = `
  SELECT c.relname AS name,
    (SELECT json_agg(json_build_object('name', a.attname, 'type', t.typname, 'isIdentity', a.attidentity <> '')
       ORDER BY a.attnum)
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT json_agg(a.attname) FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
     WHERE i.indrelid = c.oid AND i.indisprimary) AS "primaryKey",
    coalesce((SELECT json_agg(json_build_object('column', a.attname, 'table', f.confrelid::regclass::text,
         'target', b.attname))
       FROM pg_constraint f CROSS JOIN LATERAL unnest(f.conkey, f.confkey) AS k (own, target)
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.own
       JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.target
       WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attname <> 'merchant_id'), '[]') AS "references",
    coalesce((SELECT json_agg((SELECT coalesce(json_agg(a.attname ORDER BY k.place), '[]')
         FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number))
       FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique), '[]') AS "uniqueIndexes"
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
  ORDER BY c.relname`;
