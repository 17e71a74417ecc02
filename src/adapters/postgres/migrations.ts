import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One file of the schema: SQL that runs once, in a transaction of its own. */
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
