import { type ClientBase } from 'pg';
import type * as Statements from '../../../src/adapters/postgres/statement';
import { startApp, type TestApp } from '../../support/startApp';

/**
 * Behind a policy PostgreSQL uses no index for a condition whose functions could reveal hidden rows, such as `lower(title)` or
 * one that contains `coalesce`. So each prepared statement must have the same plan with and without policies.
 */

const mockTexts = new Map<string, string>();

jest.mock('../../../src/adapters/postgres/statement', () => {
  const actual = jest.requireActual<typeof Statements>('../../../src/adapters/postgres/statement');
  const noting =
    (make: typeof actual.statement) =>
    <Row extends object>(name: string, text: string) => {
      mockTexts.set(name, text);
      return make<Row>(name, text);
    };
  return { ...actual, statement: noting(actual.statement), statementApart: noting(actual.statementApart) };
});

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await import('../../../activities/index.js');
});
afterAll(() => app.stop());

const planned = `SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`;

/** The tables that a statement reads as a whole, and the conditions that its indexes serve. */
async function accessOf(client: ClientBase, text: string): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
  return rows
    .map((row) => row['QUERY PLAN'].trim())
    .filter((line) => /^Index Cond|Seq Scan on/.test(line))
    .map((line) =>
      line
        .replace(/ *\(cost.*/, '')
        .replaceAll(/InitPlan \d+/g, 'InitPlan')
        .replaceAll(/_\d+\b/g, ''),
    )
    .sort();
}

/** What the role of the service loses, beside the owner of the tables, to whom no policy applies. */
async function lostBy(text: string, owner: ClientBase, service: ClientBase): Promise<string[]> {
  const found = await accessOf(service, text);
  const expected = await accessOf(owner, text);
  return [...expected.filter((line) => !found.includes(line)), ...found.filter((line) => !expected.includes(line))];
}

async function compared(texts: Iterable<[string, string]>): Promise<Record<string, string[]>> {
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const [owner, service] = [await app.pool.connect(), await pool.connect()];
  const lost: Record<string, string[]> = {};
  try {
    for (const client of [owner, service]) await client.query(planned);
    for (const [name, text] of texts) {
      const lines = await lostBy(text, owner, service);
      if (lines.length > 0) lost[name] = lines;
    }
    return lost;
  } finally {
    owner.release(true);
    service.release(true);
  }
}

test('no prepared statement loses an index by the policies', async () => {
  expect(mockTexts.size).toBeGreaterThan(400);
  expect(await compared(mockTexts)).toEqual({});
});

test('a condition with coalesce, or with a function of a column, would lose its index', async () => {
  const join = 'SELECT FROM charges c JOIN payments p ON p.id = c.payment_id JOIN cards k ON k.id =';
  const lost = await compared([
    ['coalesce', `${join} coalesce(c.card_id, p.card_id) WHERE c.id = $1`],
    ['lower', 'SELECT FROM staff_roles WHERE merchant_id = $1 AND lower(name) = $2'],
    ['case', `${join} CASE WHEN c.card_id IS NULL THEN p.card_id ELSE c.card_id END WHERE c.id = $1`],
    ['column', 'SELECT FROM staff_roles WHERE merchant_id = $1 AND id = $2'],
  ]);
  expect(Object.keys(lost)).toEqual(['coalesce', 'lower']);
});
