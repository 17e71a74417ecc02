import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One file of the schema: SQL that runs once, in a transaction of its own. The statements of a file whose name ends with
 * `.concurrently` run one by one without a transaction, because `CREATE INDEX CONCURRENTLY` cannot be in one.
 */
export interface Migration {
  name: string;
  sql: string;
}

const folder = join(__dirname, 'schema');

/** In the order in which they apply: by name. */
export const migrations: readonly Migration[] = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => ({ name: file.replace(/\.sql$/, ''), sql: readFileSync(join(folder, file), 'utf8') }));

export const isConcurrent = ({ name }: Migration): boolean => name.endsWith('.concurrently');

/**
 * The migration that a program must contain to run on the schema after this one, from the line `-- Programs need: <name>`.
 * Null: every earlier program runs on it, because the migration only adds.
 */
export const neededBy = ({ sql }: Migration): string | null => /^-- Programs need: (\S+)$/m.exec(sql)?.[1] ?? null;
