import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { rowsReadBy } from '../../support/plans';
import { startApp, type TestApp } from '../../support/startApp';
import { vacuum } from '../../support/vacuum';

/** A search of customers reads few rows, also if many customers have the text, unless all of them have to be counted. */

let app: TestApp;
let owner: Person;

const many = 20_000;
const marias = many / 10 - 6;

beforeAll(async () => {
  app = await startApp();
  owner = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', md5(n::text) || '@many.test', md5(n::text) || '@many.test',
       CASE WHEN n <= 60 THEN 'Oldster ' WHEN n = 77 THEN 'Zdravko ' WHEN n % 10 = 0 THEN 'Maria ' ELSE 'Viewer ' END || n, ''
     FROM generate_series(1, $3::int) AS n`,
    [owner.id, owner.uuid, many],
  );
  await vacuum(app.pool, ['accounts']);
}, 120_000);
afterAll(() => app.stop());

interface Page {
  total: number;
  next_cursor: string | null;
  collection: { full_name: string }[];
}

const read = async (query: string) =>
  (await call<Page>(app, 'GET', `/accounts/registered-users?${query}`, undefined, owner)).body;

/** The rows that the statements on customers read. */
async function rowsReadFor(query: string): Promise<number> {
  const { sequelize } = await import('../../../src/adapters/postgres/connection.js');
  const queries = jest.spyOn(sequelize, 'query');
  await read(query);
  const texts = queries.mock.calls.map(([text]) => (typeof text === 'string' ? text : text.query));
  queries.mockRestore();
  const asked = texts.filter((text) => text.includes('unfenced') && text.includes('ILIKE'));
  const rows = await Promise.all(asked.map((text) => rowsReadBy({ text, values: [] })));
  expect(rows).toHaveLength(2);
  return rows.reduce((sum, each) => sum + each, 0);
}

test.each([
  ['of all customers', 'search=title:%40many.test', 100],
  ['of a tenth of them', 'search=title:maria', 100],
  ['of a tenth of them, by name', 'search=title:maria&sort=name&order=asc', 100],
])('200: a text %s is counted up to a number, and few rows are read', async (_, query, total) => {
  expect(await read(`${query}&total_up_to=100`)).toMatchObject({ total, next_cursor: expect.any(String) as string });
  expect(await rowsReadFor(`${query}&total_up_to=100`)).toBeLessThan(1_500);
});

test('200: a text that only the first customers have is not looked for among all others', async () => {
  expect(await read('search=title:oldster&total_up_to=100')).toMatchObject({ total: 60 });
  expect(await rowsReadFor('search=title:oldster&total_up_to=100')).toBeLessThan(200);
});

test.each(['', '&sort=created&order=asc', '&sort=name', '&sort=email&order=asc'])(
  '200: the pages of all that are counted are those of the list: %s',
  async (order) => {
    const query = `search=title:oldster&limit=25${order}`;
    const first = await read(query);
    for (const place of ['', '&page=2', '&page=3', '&page=4', `&cursor=${first.next_cursor}`]) {
      expect(await read(`${query}${place}&total_up_to=100`)).toEqual(await read(`${query}${place}`));
    }
  },
);

test('200: without total_up_to all are counted, so all are read', async () => {
  expect((await read('search=title:maria')).total).toBe(marias);
  expect(await rowsReadFor('search=title:maria')).toBeGreaterThanOrEqual(marias);
});

test('200: a text of fewer customers has the exact total, and the pages are the same', async () => {
  expect(await read('search=title:dravko&total_up_to=1')).toMatchObject({ total: 1, next_cursor: null });
  expect((await read(`search=title:maria&total_up_to=${marias + 1}`)).total).toBe(marias);
  const [counted, all] = [await read('search=title:maria&total_up_to=1'), await read('search=title:maria')];
  expect([counted.collection, counted.next_cursor]).toEqual([all.collection, all.next_cursor]);
});

test('200: a later page tells at least the rows up to its end, the last one all, and one behind it none', async () => {
  const page = async (number: number) =>
    (await read(`search=title:maria&total_up_to=100&limit=300&page=${number}`)).total;
  expect([await page(1), await page(2), await page(7), await page(9)]).toEqual([300, 600, marias, 100]);
});

test.each(['0', '1000001', 'x'])('422 invalid_input: total_up_to=%s', async (value) => {
  const reply = await call(app, 'GET', `/accounts/registered-users?total_up_to=${value}`, undefined, owner);
  expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
