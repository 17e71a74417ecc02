import { type Client } from 'pg';
import { ownerDatabaseUrl } from '../adapters/settings';
import { MoveRefusal } from './archive';
import { quoted, withClient } from './database';
import { movedTables, sharedSequences } from './tables';

/** Rows keep their numbers, because apps and shops know them. So two installations should number in different ranges. */

const highest = 2_000_000_000;

const isNumber = (number: number) => Number.isInteger(number) && number >= 1 && number <= highest;

/**
 * Lets every sequence of the installation continue at `from` at least, and end at `to`. Merchants that bring higher
 * numbers from another installation do not move a sequence beyond its end. Rows that never move are not limited. Returns
 * the number of sequences.
 */
export function reserveIds(from: number, to?: number): Promise<number> {
  if (!isNumber(from) || (to !== undefined && (!isNumber(to) || to <= from)))
    throw new MoveRefusal(
      `Name a number between 1 and ${highest}, and as --to a higher one: npm run ids:reserve -- --from 1 --to 1000000000`,
    );
  return withClient(ownerDatabaseUrl, async (client) => {
    const rows = await listSequences(client);
    await client.query('BEGIN');
    for (const { name, table } of rows) {
      const sequence = `public.${quoted(name)}`;
      if (to !== undefined && moves(name, table)) await endSequence(client, sequence, to);
      await client.query(
        `SELECT setval($1::regclass, $2::bigint) WHERE coalesce(pg_sequence_last_value($1::regclass), 0) < $2::bigint`,
        [sequence, from],
      );
    }
    await client.query('COMMIT');
    return rows.length;
  });
}

const moves = (name: string, table: string | null) =>
  name in sharedSequences || movedTables.some((moved) => moved.table === table);

/** Each with the table that it numbers. Null: it belongs to no table. */
async function listSequences(client: Client): Promise<{ name: string; table: string | null }[]> {
  const { rows } = await client.query<{ name: string; table: string | null }>(
    `SELECT s.relname AS name, c.relname AS table FROM pg_class s
       LEFT JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
       LEFT JOIN pg_class c ON c.oid = d.refobjid
     WHERE s.relkind = 'S' AND s.relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows;
}

async function endSequence(client: Client, sequence: string, to: number): Promise<void> {
  const { rows } = await client.query<{ last: string }>(
    'SELECT coalesce(pg_sequence_last_value($1::regclass), 0) AS last',
    [sequence],
  );
  const last = Number(rows[0]?.last ?? 0);
  if (last >= to) throw new MoveRefusal(`${sequence} has given the number ${last} already. Name a higher --to.`);
  await client.query(`ALTER SEQUENCE ${sequence} MAXVALUE ${to}`);
}

/**
 * New rows of this installation get later numbers than those of a merchant that arrives, also while the import runs.
 * Numbers that are skipped do no harm. A number of another installation's range leaves the sequence as it is.
 */
export async function advanceSequences(client: Client, sequences: Readonly<Record<string, number>>): Promise<void> {
  for (const [sequence, last] of Object.entries(sequences))
    await client.query(
      `SELECT setval(q.seqrelid, $2::bigint) FROM pg_sequence q WHERE q.seqrelid = $1::regclass
         AND $2::bigint BETWEEN greatest(coalesce(pg_sequence_last_value(q.seqrelid), 0) + 1, 1) AND q.seqmax`,
      [`public.${quoted(sequence)}`, last],
    );
}
