import { migrate } from '../../../src/adapters/postgres/migrate';
import { migrations } from '../../../src/adapters/postgres/migrations';
import { createTestDatabase, type TestDatabase } from '../../support/database';

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

test('a database that is newer than the program is refused', async () => {
  await migrate(database.url, [first, { name: '2-second', sql: 'CREATE TABLE second (id int)' }]);
  await expect(migrate(database.url, [first])).rejects.toThrow('it has the migration 2-second');
  expect(await tables()).toEqual(['first', 'second']);
});
