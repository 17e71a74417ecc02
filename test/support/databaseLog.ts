import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pool } from 'pg';
import { until } from './until';

/** The log of the PostgreSQL server of the tests. A server that the environment names keeps its log elsewhere. */

export const testOwnServer = process.env['TEST_DATABASE_URL'] ? test.skip : test;

export const databaseLog = () =>
  readFileSync(join(process.env['TEST_DATA_DIR'] ?? '', 'postgres', 'postgres.log'), 'utf8');

/** The log, once it contains what the server has done so far. */
export async function databaseLogUntilNow(pool: Pick<Pool, 'query'>): Promise<string> {
  const mark = `mark-${Math.random()}`;
  await expect(pool.query('SELECT $1::text::int', [mark])).rejects.toThrow(mark);
  return until(() => {
    const text = databaseLog();
    return Promise.resolve(text.includes(mark) && text);
  });
}
