import path from 'node:path';
import { keptSealed, sealedColumns, tablePlaces } from '../../src/moving/tables';
import { startApp, type TestApp } from '../support/startApp';
import { tablesOfSchema } from '../support/tableOwners';

/** The map of tables knows what happens to each table and each sealed column when a merchant moves. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const columnsOf = async (condition: string) =>
  (
    await app.pool.query<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = 'public' AND ${condition} ORDER BY 1, 2`,
    )
  ).rows;

test('each table moves, or stays for a reason', () => {
  expect(Object.keys(tablePlaces).sort()).toEqual(tablesOfSchema(path.join(__dirname, '../..')));
  const reasons = Object.values(tablePlaces).flatMap((place) => (place.moves ? [] : [place.reason]));
  expect(reasons.filter((reason) => reason.length < 15)).toEqual([]);
});

test('the rows of a merchant are found in each table that has a merchant', async () => {
  const merchants = await columnsOf(`column_name IN ('merchant_id', 'account_id', 'owner_id')`);
  const unknown = merchants.filter(({ table }) => tablePlaces[table] && tablePlaces[table].rows === undefined);
  expect(unknown.map(({ table }) => table)).toEqual([]);
});

test('each sealed column of a table that moves is opened and sealed again', async () => {
  const sealed = (await columnsOf(`column_name ~ '^(sealed|wrapped)_' AND data_type = 'bytea'`)).filter(
    ({ table }) => tablePlaces[table]?.moves === true,
  );
  const known = Object.entries(sealedColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  expect(sealed.map(({ table, column }) => `${table}.${column}`)).toEqual([...known, ...keptSealed].sort());
});

test('each condition is valid SQL', async () => {
  for (const [table, { rows }] of Object.entries(tablePlaces))
    if (rows !== undefined) await app.pool.query(`SELECT count(*) FROM ${table} t WHERE ${rows}`, [[1]]);
});
