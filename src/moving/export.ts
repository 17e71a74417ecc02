import { type Client } from 'pg';
import { unseal } from '../adapters/sealing';
import { trialKey } from '../entitlements/trials';
import { type ArchiveHeader, type ArchivePart, MoveRefusal } from './archive';
import { type Column, quoted, readColumns, readMigrations } from './database';
import { type MovingMerchant } from './moves.model';
import { mapSealed, movedTables, sharedSequences } from './tables';

/** Reads all rows of a merchant and its followers. The client is in a transaction that sees one state of the database. */

const rowsAtOnce = 500;

type Write = (part: ArchivePart) => Promise<void>;

/** Returns the number of rows. */
export async function readGroup(client: Client, merchant: MovingMerchant, write: Write): Promise<number> {
  await write(await readHeader(client, merchant));
  const columns = await readColumns(client);
  const counts: Record<string, number> = {};
  for (const { table, rows } of movedTables)
    counts[table] = await readTable(client, { table, rows, columns: columns.get(table) ?? [] }, merchant.group, write);
  await write({ part: 'end', counts });
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function readHeader(client: Client, { id, uuid, group }: MovingMerchant): Promise<ArchiveHeader> {
  const { rows: accounts } = await client.query<{ provider: string }>(
    `SELECT DISTINCT provider FROM cards c WHERE merchant_id = ANY($1::int[]) AND NOT EXISTS (SELECT FROM provider_accounts p
       WHERE p.merchant_id = c.merchant_id AND p.name = c.provider AND p.connect_state IS NULL) ORDER BY provider`,
    [group],
  );
  return {
    part: 'header',
    id: '',
    codeHash: '',
    peppers: [],
    madeAt: new Date().toISOString(),
    merchantId: id,
    merchantUuid: uuid,
    merchantIds: group,
    migrations: await readMigrations(client),
    sharedAccounts: accounts.map(({ provider }) => provider),
    trialKey: trialKey(),
    sequences: await readSequences(client, group),
  };
}

/** The highest number of the merchant in each sequence. */
async function readSequences(client: Client, group: readonly number[]): Promise<Record<string, number>> {
  const { rows: owned } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT c.relname AS table, a.attname AS column, s.relname AS sequence
     FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
       JOIN pg_class c ON c.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
     WHERE d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND c.relnamespace = 'public'::regnamespace`,
  );
  const filled = [
    ...owned.map(({ sequence, table, column }) => [sequence, table, column] as const),
    ...Object.entries(sharedSequences).flatMap(([sequence, columns]) =>
      columns.map(([table, column]) => [sequence, table, column] as const),
    ),
  ];
  const highest: Record<string, number> = {};
  for (const [sequence, table, column] of filled) {
    const place = movedTables.find((known) => known.table === table);
    if (!place) continue;
    const text = `SELECT coalesce(max(t.${quoted(column)}), 0)::bigint AS last FROM ${table} t WHERE ${place.rows}`;
    const last = Number((await client.query<{ last: string }>(text, [group])).rows[0]?.last ?? 0);
    highest[sequence] = Math.max(highest[sequence] ?? 0, last);
  }
  return highest;
}

async function readTable(
  client: Client,
  { table, rows: condition, columns }: { table: string; rows: string; columns: Column[] },
  group: readonly number[],
  write: Write,
): Promise<number> {
  const names = columns.map(({ name }) => name);
  const list = names.map((name) => `t.${quoted(name)}::text`).join(', ');
  const text = `DECLARE moved NO SCROLL CURSOR FOR SELECT ARRAY[${list}] AS row FROM ${table} t WHERE ${condition}`;
  await client.query(text, [group]);
  let count = 0;
  for (;;) {
    const { rows } = await client.query<{ row: (string | null)[] }>(`FETCH ${rowsAtOnce} FROM moved`);
    if (rows.length > 0)
      await write({ part: 'rows', table, columns: names, rows: rows.map(({ row }) => openSealed(table, names, row)) });
    count += rows.length;
    if (rows.length < rowsAtOnce) break;
  }
  await client.query('CLOSE moved');
  return count;
}

/** Opens what the data key has sealed. The whole file is sealed with the transfer key. */
const openSealed = (table: string, columns: readonly string[], row: (string | null)[]) =>
  mapSealed({ table, columns, row }, (value, purpose, column) => {
    const text = unseal(purpose, Buffer.from(value.slice(2), 'hex'));
    if (text === undefined) throw new MoveRefusal(`A value of ${table}.${column} was sealed with another key.`);
    return text;
  });
