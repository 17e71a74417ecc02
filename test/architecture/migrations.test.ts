import { migrations } from '../../src/adapters/postgres/migrations';
import { faultsOfMigration } from '../support/migrationRules';

/** Migrations after the first release are quick on large tables, and programs of the release before run on their schema. */

/** The last file of the first release. Its files apply to an empty database. */
const lastOfBaseline = '270-datev';

const faultsOf = (sql: string, name = '300-sample') => faultsOfMigration({ name, sql });

test('each migration after the first release keeps to the rules', async () => {
  expect(migrations.map(({ name }) => name)).toContain(lastOfBaseline);
  const later = migrations.filter(({ name }) => name > lastOfBaseline);
  const faults = await Promise.all(
    later.map(async (migration) => [migration.name, await faultsOfMigration(migration)]),
  );
  expect(faults.filter(([, found]) => found?.length !== 0)).toEqual([]);
});

test('the rules can read every statement of the schema, and refuse what only an empty database can take', async () => {
  const accounts = migrations.find(({ sql }) => sql.includes('CREATE INDEX'));
  const indexes = (accounts?.sql ?? '').split('\n').filter((line) => line.startsWith('CREATE INDEX'));
  expect((await faultsOf(indexes.join('\n'))).length).toBeGreaterThan(0);
  for (const migration of migrations) await expect(faultsOfMigration(migration)).resolves.toBeDefined();
});

test.each([
  'ALTER TABLE gifts ADD COLUMN note text',
  "ALTER TABLE gifts ADD COLUMN note text NOT NULL DEFAULT '', ADD COLUMN seen_at timestamptz DEFAULT now()",
  'ALTER TABLE gifts ALTER COLUMN note SET DEFAULT 1, ALTER COLUMN note DROP NOT NULL, DROP CONSTRAINT gifts_check',
  "ALTER TABLE gifts ADD CONSTRAINT gifts_note CHECK (note <> '') NOT VALID",
  'ALTER TABLE gifts ADD CONSTRAINT gifts_by FOREIGN KEY (by) REFERENCES accounts (id) NOT VALID',
  'ALTER TABLE gifts VALIDATE CONSTRAINT gifts_note',
  'ALTER TABLE gifts ADD CONSTRAINT gifts_code UNIQUE USING INDEX gifts_code_index',
  'CREATE TABLE notes (id int PRIMARY KEY, gift_id int REFERENCES gifts (id)); CREATE INDEX notes_gift ON notes (gift_id)',
  'CREATE TABLE notes (id int); UPDATE notes SET id = 1; ALTER TABLE notes ALTER COLUMN id TYPE bigint',
  "CREATE FUNCTION two() RETURNS int LANGUAGE sql AS 'SELECT 2'; DROP TRIGGER gifts_note ON gifts",
  "INSERT INTO access_types (name) VALUES ('season')",
  '-- Programs need: 290-notes\nALTER TABLE gifts DROP COLUMN note; DROP TABLE old_gifts; ALTER TABLE gifts RENAME TO presents',
])('is accepted: %s', async (sql) => expect(await faultsOf(sql)).toEqual([]));

test.each([
  ['CREATE INDEX gifts_note ON gifts (note)', 'blocks writes'],
  ['CREATE INDEX CONCURRENTLY IF NOT EXISTS gifts_note ON gifts (note)', 'in a file that ends with .concurrently'],
  ['ALTER TABLE gifts ADD COLUMN note text NOT NULL', 'fails on a table with rows'],
  ['ALTER TABLE gifts ADD COLUMN token uuid DEFAULT gen_random_uuid()', 'a default that differs by row'],
  ['ALTER TABLE gifts ADD COLUMN at timestamptz DEFAULT clock_timestamp()', 'a default that differs by row'],
  ['ALTER TABLE gifts ADD COLUMN no serial', 'rewrites or scans'],
  ['ALTER TABLE gifts ADD COLUMN no int GENERATED ALWAYS AS IDENTITY', 'rewrites or scans'],
  ['ALTER TABLE gifts ADD COLUMN twice int GENERATED ALWAYS AS (2 * id) STORED', 'rewrites or scans'],
  ['ALTER TABLE gifts ADD COLUMN by int REFERENCES accounts (id)', 'rewrites or scans'],
  ['ALTER TABLE gifts ADD COLUMN code text UNIQUE', 'rewrites or scans'],
  ['ALTER TABLE gifts ALTER COLUMN id TYPE bigint', 'AT_AlterColumnType rewrites or scans'],
  ['ALTER TABLE gifts ALTER COLUMN note SET NOT NULL', 'AT_SetNotNull rewrites or scans'],
  ["ALTER TABLE gifts ADD CHECK (note <> '')", 'use NOT VALID'],
  ['ALTER TABLE gifts ADD FOREIGN KEY (by) REFERENCES accounts (id)', 'use NOT VALID'],
  ['ALTER TABLE gifts ADD UNIQUE (code)', 'USING INDEX'],
  ['ALTER TABLE gifts ADD COLUMN a int, VALIDATE CONSTRAINT gifts_note', 'a statement of its own'],
  ['UPDATE gifts SET note = $$x$$', 'change them in batches'],
  ['DELETE FROM gifts WHERE id < 5', 'change them in batches'],
  ['LOCK TABLE gifts', 'LockStmt'],
  ['TRUNCATE gifts', 'TruncateStmt'],
  ['ALTER TABLE gifts DROP COLUMN note', 'name the migration that they need'],
  ['ALTER TABLE gifts RENAME COLUMN note TO text', 'name the migration that they need'],
  ['DROP TABLE gifts', 'name the migration that they need'],
  ['DROP FUNCTION refuse_change()', 'name the migration that they need'],
])('is refused: %s', async (sql, sentence) => {
  expect(await faultsOf(sql)).toEqual([expect.stringContaining(sentence)]);
});

test.each([
  ['CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON gifts (note);\nDROP INDEX CONCURRENTLY IF EXISTS b;', 0],
  ['CREATE INDEX CONCURRENTLY a ON gifts (note)', 1],
  ['CREATE INDEX a ON gifts (note)', 1],
  ['DROP INDEX a', 1],
  ['ALTER TABLE gifts ADD COLUMN note text', 1],
])('in a file of concurrent statements, %s has %s faults', async (sql, count) => {
  const faults = await faultsOf(sql, '300-sample.concurrently');
  expect(faults).toHaveLength(count);
  for (const fault of faults) expect(fault).toContain('a file that ends with .concurrently only has');
});
