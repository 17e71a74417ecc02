import { type Client } from 'pg';
import { ownerDatabaseUrl } from '../adapters/settings';
import { MoveRefusal } from './archive';
import { quoted, withClient } from './database';

/** Rows keep their numbers, because apps and shops know them. So two installations should number in different ranges. */

const highest = 2_000_000_000;

const isNumber = (number: number) => Number.isInteger(number) && number >= 1 && number <= highest;

/**
 * Lets every sequence of the installation continue at `from` at least, and end at `to`. Merchants that bring higher numbers from
 * another installation do not move a sequence beyond its end. Returns the number of sequences.
 */
export function reserveIds(from: number, to?: number): Promise<number> {
  if (!isNumber(from) || (to !== undefined && (!isNumber(to) || to <= from)))
    throw new MoveRefusal(
      `Name a number between 1 and ${highest}, and as --to a higher one: npm run ids:reserve -- --from 1 --to 1000000000`,
    );
  return withClient(ownerDatabaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
    );
    await client.query('BEGIN');
    for (const { name } of rows) {
      const sequence = `public.${quoted(name)}`;
      if (to !== undefined) await endSequence(client, sequence, to);
      await client.query(
        `SELECT setval($1::regclass, $2::bigint) WHERE coalesce(pg_sequence_last_value($1::regclass), 0) < $2::bigint`,
        [sequence, from],
      );
    }
    await client.query('COMMIT');
    return rows.length;
  });
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
 * New rows of this installation get later numbers than those of a merchant that arrives, also while the import runs. Numbers that are
 * skipped do no harm. A number of another installation's range leaves the sequence as it is.
 */
export async function advanceSequences(client: Client, sequences: Readonly<Record<string, number>>): Promise<void> {
  for (const [sequence, last] of Object.entries(sequences))
    await client.query(
      `SELECT setval(q.seqrelid, $2::bigint) FROM pg_sequence q WHERE q.seqrelid = $1::regclass
         AND $2::bigint BETWEEN greatest(coalesce(pg_sequence_last_value(q.seqrelid), 0) + 1, 1) AND q.seqmax`,
      [`public.${quoted(sequence)}`, last],
    );
}
