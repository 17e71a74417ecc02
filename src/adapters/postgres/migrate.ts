import type * as UmzugLibrary from 'umzug';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type UmzugStorage } from 'umzug';
import { lazily } from '../../kit/lazily';
import { refreshNameOrder } from './nameOrder';
import { isConcurrent, migrations, neededBy, type Migration } from './migrations';

const umzug = lazily<typeof UmzugLibrary>(require, 'umzug');

// Any number that no other program on the same database locks.
const advisoryLock = 7_233_543_301;
const askAgainMs = 200;
/** A statement that waits for a lock stops all later ones of the table, so it waits briefly and is tried again. */
const lockTimeout = '2s';
const lockTries = 30;
const betweenTriesMs = 1_000;
const lockNotAvailable = '55P03';

/** Brings a database to this program's schema. Replicas that start at the same time wait for the first one. */
export async function migrate(databaseUrl: string, known: readonly Migration[] = migrations): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await lock(client);
    await client.query(
      `CREATE TABLE IF NOT EXISTS migrations (
         name text PRIMARY KEY, checksum text NOT NULL, needs text, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    await refuseChangedHistory(client, known);
    if ((await pendingMigrations((text) => client.query(text), known)) > 0) await applyPending(client, known);
    await refreshNameOrder(client);
  } finally {
    await client.end();
  }
}

/** Asks again and again: a process that waits in PostgreSQL would stop an index that is created concurrently. */
async function lock(client: pg.Client): Promise<void> {
  const text = 'SELECT pg_try_advisory_lock($1) AS locked';
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(text, [advisoryLock]);
    if (rows[0]?.locked === true) return;
    await sleep(askAgainMs);
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

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (isConcurrent(migration)) return applyConcurrently(client, migration);
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyAtOnce(client, migration);
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || tries === lockTries) throw error;
      await sleep(betweenTriesMs);
    }
  }
}

/** Runs a migration and records it in one transaction, so that a failed migration leaves nothing behind. */
async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
    await client.query(migration.sql);
    await record(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Each statement creates or drops an index, and can be repeated. */
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of migration.sql.split(/;\s*$/m).filter((text) => /^\s*[A-Z]/m.test(text))) {
    await dropInvalid(client, statement);
    await client.query(statement);
  }
  await record(client, migration);
}

/** An interrupted run leaves an invalid index, which `IF NOT EXISTS` would keep. */
async function dropInvalid(client: pg.Client, statement: string): Promise<void> {
  const [, name] = /CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  const text =
    'SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = $1 AND NOT i.indisvalid';
  if (name !== undefined && (await client.query(text, [name])).rows.length > 0)
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

async function record(client: pg.Client, migration: Migration): Promise<void> {
  const values = [migration.name, checksumOf(migration.sql), neededBy(migration)];
  await client.query('INSERT INTO migrations (name, checksum, needs) VALUES ($1, $2, $3)', values);
}

function storedIn(client: pg.Client): UmzugStorage {
  return {
    // `apply` has recorded it.
    logMigration: () => Promise.resolve(),
    unlogMigration: () => Promise.reject(new Error('migrations only go forward')),
    executed: async () => (await client.query<{ name: string }>('SELECT name FROM migrations')).rows.map((r) => r.name),
  };
}

interface AppliedMigration {
  name: string;
  checksum: string;
  needs: string | null;
}

/**
 * Throws if an applied migration has changed, or if a migration of a newer program needs more than this program has. Other
 * migrations of newer programs only add to the schema, so this program runs on it: beside the newer one, or after it.
 */
async function refuseChangedHistory(client: pg.Client, known: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<AppliedMigration>('SELECT name, checksum, needs FROM migrations ORDER BY name');
  const names = new Set(known.map(({ name }) => name));
  for (const { name, checksum, needs } of rows) {
    const ours = known.find((migration) => migration.name === name);
    if (ours && checksum !== checksumOf(ours.sql))
      throw new Error(`The migration ${name} was changed after it was applied`);
    if (!ours && needs !== null && !names.has(needs))
      throw new Error(`The database is newer than this program: ${name} needs a program with the migration ${needs}`);
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
