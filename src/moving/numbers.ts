import { ownerDatabaseUrl } from '../adapters/settings';
import { MoveRefusal } from './archive';
import { quoted, withClient } from './database';

/** Rows keep their numbers, because apps and shops know them. So two installations should number in different ranges. */

const highest = 2_000_000_000;

/** Lets every sequence of the installation continue at `from` at least. Returns the number of sequences. */
export function reserveIds(from: number): Promise<number> {
  if (!Number.isInteger(from) || from < 1 || from > highest)
    throw new MoveRefusal(`Name a number between 1 and ${highest}: npm run ids:reserve -- --from 1000000000`);
  return withClient(ownerDatabaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
    );
    for (const { name } of rows)
      await client.query(
        `SELECT setval($1::regclass, $2::bigint) WHERE coalesce(pg_sequence_last_value($1::regclass), 0) < $2::bigint`,
        [`public.${quoted(name)}`, from],
      );
    return rows.length;
  });
}
