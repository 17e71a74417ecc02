import { type Client } from 'pg';
import { quoted } from './database';
import { movedTables } from './tables';

interface ForeignKey {
  name: string;
  columns: string[];
  target: string;
  target_columns: string[];
}

/** The foreign keys that rows of merchants violate. Rows that are written without triggers are not checked by PostgreSQL. */
export async function findBrokenReferences(client: Client, group: readonly number[]): Promise<string[]> {
  const broken: string[] = [];
  for (const { table, rows } of movedTables) {
    for (const { name, columns, target, target_columns: targets } of await foreignKeysOf(client, table)) {
      const given = columns.map((column) => `t.${quoted(column)} IS NOT NULL`).join(' AND ');
      const matches = columns
        .map((column, index) => `o.${quoted(targets[index] ?? '')} = t.${quoted(column)}`)
        .join(' AND ');
      const { rows: found } = await client.query(
        `SELECT FROM ${table} t WHERE (${rows}) AND ${given} AND NOT EXISTS (SELECT FROM ${target} o WHERE ${matches}) LIMIT 1`,
        [group],
      );
      if (found.length > 0) broken.push(name);
    }
  }
  return broken;
}

async function foreignKeysOf(client: Client, table: string): Promise<ForeignKey[]> {
  const names = (keys: string, relation: string) =>
    `ARRAY(SELECT a.attname::text FROM unnest(${keys}) WITH ORDINALITY AS k (n, place)
       JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = k.n ORDER BY k.place)`;
  const { rows } = await client.query<ForeignKey>(
    `SELECT conname AS name, ${names('conkey', 'conrelid')} AS columns, confrelid::regclass::text AS target,
       ${names('confkey', 'confrelid')} AS target_columns
     FROM pg_constraint WHERE contype = 'f' AND conrelid = $1::regclass`,
    [`public.${table}`],
  );
  return rows;
}
