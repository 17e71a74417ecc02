import type * as UmzugLibrary from 'umzug';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { type UmzugStorage } from 'umzug';
import { lazily } from '../../kit/lazily';
import { migrations } from './migrations';

const umzug = lazily<typeof UmzugLibrary>(require, 'umzug');

// Any number that no other program on the same database locks.
const advisoryLock = 7_233_543_301;

/** Brings a database to this program's schema. Replicas that start together wait for the first one. */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    await refuseChangedHistory(client);
    if ((await pendingMigrations((text) => client.query<{ name: string }>(text))) > 0) await applyPending(client);
  } finally {
    await client.end();
  }
}

async function applyPending(client: pg.Client): Promise<void> {
  const { Umzug } = umzug();
  await new Umzug({
    migrations: migrations.map(({ name, up }) => ({ name, up: () => inTransaction(client, up) })),
    storage: storedIn(client),
    logger: undefined,
  }).up();
}

/** How many migrations this program knows that the database lacks. */
export async function pendingMigrations(query: (text: string) => Promise<{ rows: { name: string }[] }>) {
  const applied = new Set((await query('SELECT name FROM migrations')).rows.map((row) => row.name));
  return migrations.filter(({ name }) => !applied.has(name)).length;
}

async function inTransaction(client: pg.Client, sql: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query("SET LOCAL lock_timeout = '10s'");
    await client.query(sql);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

function storedIn(client: pg.Client): UmzugStorage {
  return {
    logMigration: async ({ name }) => {
      await client.query('INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksumOf(name)]);
    },
    unlogMigration: () => Promise.reject(new Error('migrations only go forward')),
    executed: async () => (await client.query<{ name: string }>('SELECT name FROM migrations')).rows.map((r) => r.name),
  };
}

/** An applied migration that reads differently now would leave two databases with one name for two schemas. */
async function refuseChangedHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>('SELECT name, checksum FROM migrations');
  for (const { name, checksum } of rows) {
    const ours = migrations.find((migration) => migration.name === name);
    if (!ours) throw new Error(`The database is newer than this program: it has the migration ${name}`);
    if (checksum !== checksumOf(name)) throw new Error(`The migration ${name} was changed after it was applied`);
  }
}

function checksumOf(name: string): string {
  const up = migrations.find((migration) => migration.name === name)?.up ?? '';
  return createHash('sha256').update(up).digest('hex').slice(0, 16);
}
