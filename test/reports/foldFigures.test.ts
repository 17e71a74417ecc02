import { createMerchant } from '../support/factories';
import { rowsOfSteps } from '../support/nestedPlans';
import { startApp, type TestApp } from '../support/startApp';
import { vacuum } from '../support/vacuum';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const insertText = `
  INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
  SELECT $1, 'revenue', '2026-01-31', '{total,item}', ARRAY['', '7'], 'EUR', 1, 100 FROM generate_series(1, $2::int)`;

test('many numbers are folded to their sums in one walk, also where it was planned while there were none', async () => {
  const merchant = await createMerchant(app);
  const many = 3_000;
  const client = await app.pool.connect();
  try {
    await client.query(insertText, [merchant.id, 1]);
    await client.query('SELECT fold_figures(50000)');
    await client.query('DELETE FROM daily_figures');
    await vacuum(client, ['figure_deltas']);
    await client.query('BEGIN');
    const fold = async () =>
      (await client.query<{ folded: number }>('SELECT fold_figures(50000) AS folded')).rows[0]?.folded;
    // PostgreSQL keeps a plan from the sixth execution on. Here the plan is for an empty table.
    for (let time = 0; time < 6; time += 1) expect(await fold()).toBe(0);
    await client.query(insertText, [merchant.id, many]);
    const rowsOfEach = await rowsOfSteps(client, async () => expect(await fold()).toBe(many));
    // Each row counts in two dimensions. A step that reads more rows reads the same rows repeatedly.
    expect(Math.max(...rowsOfEach)).toBe(2 * many);
    const { rows } = await client.query(
      'SELECT dimension, count::int, amount_minor::int FROM daily_figures WHERE merchant_id = $1 ORDER BY dimension',
      [merchant.id],
    );
    expect(rows).toEqual(['item', 'total'].map((dimension) => ({ dimension, count: many, amount_minor: many * 100 })));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
