import { call } from '../support/client';
import { copyRow } from '../support/copies';
import { createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

/** Lists by name are in the order of a dictionary: case and accents do not part names, and every script has its place. */

let app: TestApp;
let shop: Shop;

/** In the order of the list. Equal names stand in the order of their ids, also at the border of two pages. */
const names = [
  ...['apfel', 'Apfel', 'Äpfel', 'Ärger', 'Bär', 'Eclair', 'éclair', 'Élan', 'omar', 'Omar', 'OMAR', 'Omar'],
  ...['ostrich', 'Öztürk', 'zebra', 'Ζωή', 'أحمد', 'بدر', 'عمر', 'ليلى'],
];
/** The rows are made in another order: equal names keep theirs. */
const made = [...names.filter((_name, index) => index % 2 === 1), ...names.filter((_name, index) => index % 2 === 0)];
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
/** The names of a list, with equal ones in the order in which they were made. */
const expected = names.flatMap((name, index) =>
  names.findIndex((each) => isSame(each, name)) === index ? made.filter((each) => isSame(each, name)) : [],
);
const nth = `(ARRAY[${made.map((name) => `'${name}'`).join(', ')}])[n]`;
const count = made.length;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  const account = {
    uuid: 'gen_random_uuid()',
    email: 'md5(n::text)',
    email_normalized: 'md5(n::text)',
    full_name: nth,
  };
  await copyRow(app, 'accounts', { id: shop.consumer.id, count, changes: account });
  await copyRow(app, 'items', { id: shop.item.id, count, changes: { title: nth } });
  const { id } = await createVoucher(app, shop.merchant, { name: 'aaa', code: 'FIRST' });
  const code = `'CODE' || n`;
  await copyRow(app, 'vouchers', { id, count, changes: { name: nth, code, canonical_code: code } });
  await app.pool.query(`UPDATE accounts SET full_name = 'aaa' WHERE id = $1`, [shop.consumer.id]);
  await app.pool.query(`UPDATE items SET title = 'aaa' WHERE id = $1`, [shop.item.id]);
});
afterAll(() => app.stop());

interface Page {
  next_cursor: string | null;
  collection: Record<string, unknown>[];
}

async function read(path: string, query: string): Promise<Page> {
  const { status, body } = await call<Page>(app, 'GET', `${path}?${query}`, undefined, shop.merchant);
  expect([query, status]).toEqual([query, 200]);
  return body;
}

const lists = [
  ['/accounts/registered-users', 'name', 'full_name'],
  ['/v2/items', 'title', 'title'],
  ['/vouchers', 'name', 'name'],
] as const;
const ends = ['aaa'];

test.each(lists.flatMap((list) => ([1, 2, 5] as const).map((size) => [...list, size] as const)))(
  '%s by %s: %s with pages of %i rows, in both directions',
  async (path, key, field, size) => {
    for (const order of ['asc', 'desc']) {
      const wanted = [...ends, ...expected];
      if (order === 'desc') wanted.reverse();
      const sorted = `sort=${key}&order=${order}&size=${size}`;
      const followed: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null && followed.length <= wanted.length;) {
        const page: Page = await read(path, `${sorted}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        followed.push(...page.collection.map((row) => row[field]));
        cursor = page.next_cursor;
      }
      expect(followed).toEqual(wanted);
      const paged: unknown[] = [];
      for (let page = 1; paged.length < wanted.length && page <= wanted.length; page += 1)
        paged.push(...(await read(path, `${sorted}&page=${page}`)).collection.map((row) => row[field]));
      expect(paged).toEqual(wanted);
    }
  },
);
