import type * as UmzugLibrary from 'umzug';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { type UmzugStorage } from 'umzug';
import { lazily } from '../../kit/lazily';
import { migrations, type Migration } from './migrations';

const umzug = lazily<typeof UmzugLibrary>(require, 'umzug');

// Any number that no other program on the same database locks.
const advisoryLock = 7_233_543_301;

/** Brings a database to this program's schema. Replicas that start at the same time wait for the first one. */
export async function migrate(databaseUrl: string, known: readonly Migration[] = migrations): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    await refuseChangedHistory(client, known);
    if ((await pendingMigrations((text) => client.query(text), known)) > 0) await applyPending(client, known);
  } finally {
    await client.end();
  }
}

async function applyPending(client: pg.Client, known: readonly Migration[]): Promise<void> {
  const { Umzug } = umzug();
  await new Umzug({
    migrations: known.map((migration) => ({ name: migration.name, up: () => apply(client, migration) })),
    storage: storedIn(client),
    logger: undefined,
  }).up();
}

/** Runs a migration and records it in one transaction, so that a failed migration leaves nothing behind. */
async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query("SET LOCAL lock_timeout = '10s'");
    await client.query(sql);
    await client.query('INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksumOf(sql)]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function storedIn(client: pg.Client): UmzugStorage {
  return {
    // `apply` has recorded it.
    logMigration: () => Promise.resolve(),
    unlogMigration: () => Promise.reject(new Error('migrations only go forward')),
    executed: async () => (await client.query<{ name: string }>('SELECT name FROM migrations')).rows.map((r) => r.name),
  };
}

/** Throws if an applied migration has changed or is unknown: the database would not have this program's schema. */
async function refuseChangedHistory(client: pg.Client, known: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>('SELECT name, checksum FROM migrations');
  for (const { name, checksum } of rows) {
    const ours = known.find((migration) => migration.name === name);
    if (!ours) throw new Error(`The database is newer than this program: it has the migration ${name}`);
    if (checksum !== checksumOf(ours.sql)) throw new Error(`The migration ${name} was changed after it was applied`);
  }
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex').slice(0, 16);
}

/** The number of this program's migrations that the database lacks. */
export async function pendingMigrations(
  query: (text: string) => Promise<{ rows: { name: string }[] }>,
  known: readonly Migration[] = migrations,
): Promise<number> {
  const applied = new Set((await query('SELECT name FROM migrations')).rows.map((row) => row.name));
  return known.filter(({ name }) => !applied.has(name)).length;
}
