import { migrate } from '../../../src/adapters/postgres/migrate';
import { migrations } from '../../../src/adapters/postgres/migrations';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { listWaiting } from '../../support/locks';
import { faultsOfMigration } from '../../support/migrationRules';
import { until } from '../../support/until';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase(undefined, 'template0');
});

afterEach(() => database.drop());

const first = { name: '1-first', sql: 'CREATE TABLE first (id int)' };

async function applied(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

async function tables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

test('an empty database gets the whole schema, also if several processes start at the same time', async () => {
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  expect(await applied()).toEqual(migrations.map(({ name }) => name));
  expect(await tables()).toEqual(expect.arrayContaining(['accounts', 'charges', 'outbox']));
});

test('an update of ICU builds the indexes of names again', async () => {
  await migrate(database.url);
  const files = async () =>
    (
      await database.pool.query<{ name: string; file: number }>(
        `SELECT relname AS name, pg_relation_filenode(oid) AS file FROM pg_class
         WHERE relname IN ('accounts_consumer_name', 'items_alphabet', 'vouchers_alphabet', 'items_updated') ORDER BY 1`,
      )
    ).rows;
  const before = await files();
  await migrate(database.url);
  expect(await files()).toEqual(before);
  await database.pool.query(`UPDATE pg_collation SET collversion = '1' WHERE collname = 'name_order'`);
  await migrate(database.url);
  const changed = (await files()).filter(({ file }, index) => file !== before[index]?.file);
  expect(changed.map(({ name }) => name)).toEqual(['accounts_consumer_name', 'items_alphabet', 'vouchers_alphabet']);
  const { rows } = await database.pool.query(
    `SELECT collversion = pg_collation_actual_version(oid) AS "isCurrent" FROM pg_collation WHERE collname = 'name_order'`,
  );
  expect(rows).toEqual([{ isCurrent: true }]);
});

test('a migration runs once, and a later one is added to it', async () => {
  await migrate(database.url, [first]);
  await migrate(database.url, [first]);
  await migrate(database.url, [first, { name: '2-second', sql: 'ALTER TABLE first ADD COLUMN title text' }]);
  expect(await applied()).toEqual(['1-first', '2-second']);
});

test('a failed migration leaves nothing behind, and runs again after its correction', async () => {
  const failing = { name: '2-second', sql: 'CREATE TABLE second (id int); SELECT 1 / 0' };
  await expect(migrate(database.url, [first, failing])).rejects.toThrow('division by zero');
  expect([await applied(), await tables()]).toEqual([['1-first'], ['first']]);
  await migrate(database.url, [first, { ...failing, sql: 'CREATE TABLE second (id int)' }]);
  expect([await applied(), await tables()]).toEqual([
    ['1-first', '2-second'],
    ['first', 'second'],
  ]);
});

test('a migration that cannot be recorded leaves nothing behind', async () => {
  const fullAfterOne = { ...first, sql: `${first.sql}; ALTER TABLE migrations ADD CHECK (name = '1-first')` };
  const second = { name: '2-second', sql: 'CREATE TABLE second (id int)' };
  await expect(migrate(database.url, [fullAfterOne, second])).rejects.toThrow('migrations_name_check');
  expect([await applied(), await tables()]).toEqual([['1-first'], ['first']]);
});

test('a migration that was changed after it was applied is refused', async () => {
  await migrate(database.url, [first]);
  const changed = { ...first, sql: 'CREATE TABLE first (id bigint)' };
  await expect(migrate(database.url, [changed])).rejects.toThrow(
    'The migration 1-first was changed after it was applied',
  );
});

test('a database that is newer than the program is accepted as long as its migrations only add', async () => {
  const second = { name: '2-second', sql: 'CREATE TABLE second (id int)' };
  await migrate(database.url, [first, second]);
  await migrate(database.url, [first]);
  const third = { name: '3-third', sql: '-- Why.\n-- Programs need: 2-second\nDROP TABLE first' };
  await migrate(database.url, [first, second, third]);
  await migrate(database.url, [first, second]);
  await expect(migrate(database.url, [first])).rejects.toThrow(
    'The database is newer than this program: 3-third needs a program with the migration 2-second',
  );
  expect(await tables()).toEqual(['second']);
});

/** A transaction of another client that has read or written the table, and keeps its lock. */
async function holdTable(): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  await holder.query('BEGIN; INSERT INTO first VALUES (1)');
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

const waitsForLock = async (waits: boolean) => (await listWaiting(database.pool)).length > 0 === waits;

test('a migration waits briefly for a lock, lets others pass, and tries again', async () => {
  await migrate(database.url, [first]);
  const release = await holdTable();
  const migrating = migrate(database.url, [first, { name: '2-second', sql: 'ALTER TABLE first ADD COLUMN note text' }]);
  await until(() => waitsForLock(true));
  await until(() => waitsForLock(false));
  expect((await database.pool.query('SELECT FROM first')).rows).toEqual([]);
  await release();
  await migrating;
  expect(await applied()).toEqual(['1-first', '2-second']);
});

describe('a migration of indexes', () => {
  const index = {
    name: '2-index.concurrently',
    sql: `-- Lists by id.
CREATE INDEX CONCURRENTLY IF NOT EXISTS first_id ON first (id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS first_unique ON first (id);
`,
  };
  const valid = async () => {
    const text = `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indisvalid AND c.relname LIKE 'first%' ORDER BY 1`;
    return (await database.pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
  };

  test('is created while others write, and while other processes wait for the migration', async () => {
    await migrate(database.url, [first]);
    const release = await holdTable();
    const migrating = [1, 2, 3].map(() => migrate(database.url, [first, index]));
    await until(() => waitsForLock(true));
    await database.pool.query('INSERT INTO first VALUES (2)');
    await release();
    await Promise.all(migrating);
    expect(await valid()).toEqual(['first_id', 'first_unique']);
    expect(await applied()).toEqual(['1-first', '2-index.concurrently']);
  });

  test('that was interrupted is completed, and leaves no invalid index', async () => {
    await migrate(database.url, [first]);
    await database.pool.query('INSERT INTO first VALUES (1), (1)');
    await expect(migrate(database.url, [first, index])).rejects.toThrow('could not create unique index');
    expect([await valid(), await applied()]).toEqual([['first_id'], ['1-first']]);
    await database.pool.query('DELETE FROM first');
    await migrate(database.url, [first, index]);
    expect([await valid(), await applied()]).toEqual([
      ['first_id', 'first_unique'],
      ['1-first', '2-index.concurrently'],
    ]);
  });
});

test('on a million rows, no other client waits two seconds for a lock', async () => {
  const table = `CREATE TABLE large (id int PRIMARY KEY, text text NOT NULL, note_id int);
    INSERT INTO large SELECT n, 'row ' || n, n % 100 FROM generate_series(1, 1000000) AS n;
    CREATE TABLE notes (id int PRIMARY KEY); INSERT INTO notes SELECT generate_series(0, 99)`;
  const changes = [
    { name: '1-large', sql: table },
    {
      name: '2-columns',
      sql: `ALTER TABLE large ADD COLUMN note text, ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();
        ALTER TABLE large ADD CONSTRAINT large_note FOREIGN KEY (note_id) REFERENCES notes (id) NOT VALID`,
    },
    { name: '3-check', sql: 'ALTER TABLE large VALIDATE CONSTRAINT large_note' },
    {
      name: '4-index.concurrently',
      sql: 'CREATE INDEX CONCURRENTLY IF NOT EXISTS large_text ON large (text);',
    },
  ];
  for (const change of changes) expect(await faultsOfMigration(change)).toEqual([]);
  await migrate(database.url, changes.slice(0, 1));
  let isDone = false;
  let writes = 0;
  const write = async (step: number) => {
    const client = await database.pool.connect();
    await client.query("SET lock_timeout = '2s'");
    for (let id = step; !isDone; id = (id + 7_919) % 1_000_000) {
      await client.query('UPDATE large SET text = $1 WHERE id = $2', [`changed ${id}`, id]);
      writes += 1;
    }
    client.release(true);
  };
  const writing = Promise.all([1, 2].map(write));
  const migrating = migrate(database.url, changes).finally(() => (isDone = true));
  await Promise.all([writing, migrating]);
  expect(writes).toBeGreaterThan(100);
  expect(await applied()).toEqual(changes.map(({ name }) => name));
});
