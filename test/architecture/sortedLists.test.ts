import { call } from '../support/client';
import { copyRow } from '../support/copies';
import { createItem, createShop, type Shop } from '../support/factories';
import { live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { answerOf, importStores } from '../support/storeTold';
import { createPackage, createVoucher } from '../support/vouchers';

/** Lists in the order that their reader chooses, with rows that have the same value. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Row = Record<string, unknown> & { id: number };
type Value = string | number;

interface Listed {
  path: string;
  file: string;
  /** Makes at least a dozen rows; three or more of them have the same value of each key. */
  fill: (shop: Shop) => Promise<unknown>;
  /** The value of a row by each key. */
  keys: Record<string, (row: Row) => Value>;
  /** The id of a row in the list, and in the first column of the file. */
  idOf?: (row: Row) => string;
}

/** The tie of a copy: one of four. */
const fourth = "(ARRAY['delta', 'Alpha', 'charlie', 'BRAVO'])[n % 4 + 1]";
const dayOfFourth = `'2026-03-01 10:00:00.123456+00'::timestamptz + n % 4 * interval '1 day'`;
const lowerCase = (name: string) => (row: Row) => String(row[name]).toLowerCase();
const byId = ({ id }: Row) => id;
const copies = 11;

const items: Listed['fill'] = ({ item }) =>
  copyRow(app, 'items', { id: item.id, count: copies, changes: { title: fourth } });

async function fillSubscriptions(shop: Shop): Promise<void> {
  const story = await startStory(app, shop);
  await live(story, [['begin', 0]]);
  const { id } = await idIn('subscriptions', story.token);
  const changes = { token: `'copy-' || n || '-' || merchant_id`, state: `'expired'`, current_period_end: dayOfFourth };
  await copyRow(app, 'subscriptions', { id, count: copies, changes });
  const { claim } = await importStores();
  const told = { state: 'active', isTrial: false, price: { amount: 4.99, currency: 'EUR' }, transaction: 1 } as const;
  await claim(shop, shop.consumer, 'apple', answerOf(`sorted-${shop.merchant.id}`, told, Date.now()));
}

async function idIn(table: string, token: string): Promise<{ id: number }> {
  const { rows } = await app.pool.query<{ id: number }>(`SELECT id FROM ${table} WHERE token = $1`, [token]);
  return rows[0] ?? { id: 0 };
}

async function fillCharges(shop: Shop): Promise<void> {
  await live(await startStory(app, shop), [['begin', 0]]);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM charges WHERE merchant_id = $1', [
    shop.merchant.id,
  ]);
  const changes = {
    cycle: '100 + n',
    trx_token: `'copy-' || n || '-' || merchant_id`,
    idempotency_key: `'copy-' || n || '-' || merchant_id`,
    settled_at: dayOfFourth,
  };
  await copyRow(app, 'charges', { id: rows[0]?.id ?? 0, count: copies, changes });
}

const lists: Record<string, Listed> = {
  customers: {
    path: '/accounts/registered-users',
    file: 'customers',
    fill: ({ consumer }) =>
      copyRow(app, 'accounts', {
        id: consumer.id,
        count: copies,
        changes: {
          uuid: 'gen_random_uuid()',
          email: `md5(n::text) || '@sorted.test'`,
          email_normalized: `md5(n::text) || '@sorted.test'`,
          full_name: fourth,
        },
      }),
    keys: { created: byId, email: lowerCase('email'), name: lowerCase('full_name') },
  },
  items: { path: '/v2/items', file: 'items', fill: items, keys: { created: byId, title: lowerCase('title') } },
  packages: {
    path: '/items/packages',
    file: 'packages',
    fill: async (shop) => {
      const { id } = await createPackage(app, shop);
      await copyRow(app, 'items', { id, count: copies, changes: { title: fourth } });
    },
    keys: { created: byId, title: lowerCase('title') },
  },
  vouchers: {
    path: '/vouchers',
    file: 'vouchers',
    fill: async ({ merchant }) => {
      const { id } = await createVoucher(app, merchant, { code: 'SORTED' });
      const code = `upper(md5(n::text)) || merchant_id`;
      const ends_at = `CASE WHEN n % 4 > 0 THEN starts_at + n % 4 * interval '1 day 0.000001 s' END`;
      const changes = { name: fourth, code, canonical_code: code, ends_at };
      await copyRow(app, 'vouchers', { id, count: copies, changes });
    },
    keys: {
      created: byId,
      name: lowerCase('name'),
      code: lowerCase('code'),
      ends: ({ end_date: end }) => (typeof end === 'string' ? Date.parse(end) : Infinity),
    },
  },
  subscriptions: {
    path: '/subscriptions',
    file: 'subscriptions',
    fill: fillSubscriptions,
    keys: { created: ({ created_at }) => Number(created_at), period_end: (row) => Number(row['current_period_end']) },
    idOf: ({ subscription_id }) => String(subscription_id),
  },
  transactions: {
    path: '/payments/transactions',
    file: 'payment-history',
    fill: fillCharges,
    keys: { created: ({ timestamp }) => Number(timestamp) },
    idOf: ({ trx_token }) => String(trx_token),
  },
  audit: {
    path: '/audit',
    file: 'audit',
    fill: async ({ merchant }) => {
      for (let made = 0; made < copies; made += 1) await createItem(app, merchant);
    },
    keys: { created: byId },
  },
};

interface Page {
  total: number;
  next_cursor: string | null;
  collection: Row[];
}

const read = async (shop: Shop, path: string, query: string) => {
  const reply = await call<Page>(app, 'GET', `${path}?${query}`, undefined, shop.merchant);
  expect([query, reply.status]).toEqual([query, 200]);
  return reply.body;
};

const cases = Object.entries(lists).flatMap(([name, { keys }]) =>
  Object.keys(keys).flatMap((key) => ['asc', 'desc'].map((order) => [name, key, order] as const)),
);

/** The rows in the order of a key. Rows of equal value keep their order by id, which the usual list has. */
function inOrder(newestFirst: readonly Row[], valueOf: (row: Row) => Value, order: string): Row[] {
  const compare = (one: Value, other: Value) => (one < other ? -1 : Number(one > other));
  const ascending = [...newestFirst].reverse().sort((one, other) => compare(valueOf(one), valueOf(other)));
  return order === 'asc' ? ascending : ascending.reverse();
}

const shops = new Map<string, Shop>();

async function filled(name: string): Promise<{ shop: Shop; listed: Listed }> {
  const listed = lists[name];
  if (!listed) throw new Error(`no list ${name}`);
  const shop = shops.get(name) ?? (await createShop(app, { amount: '10.00' }));
  if (!shops.has(name)) await listed.fill(shop);
  shops.set(name, shop);
  return { shop, listed };
}

test.each(cases)('%s by %s, %s: pages and cursors show each row once, and the file has the order', async (...asked) => {
  const [name, key, order] = asked;
  const { shop, listed } = await filled(name);
  const { path, file, keys, idOf = ({ id }: Row) => String(id) } = listed;
  const usual = (await read(shop, path, 'size=100')).collection;
  expect(usual.length).toBeGreaterThanOrEqual(copies);
  const expected = inOrder(usual, keys[key] ?? byId, order).map(idOf);
  const sorted = `sort=${key}&order=${order}`;

  expect((await read(shop, path, `${sorted}&size=100`)).collection.map(idOf)).toEqual(expected);

  const paged: string[] = [];
  for (let page = 1; paged.length < expected.length && page < 10; page += 1)
    paged.push(...(await read(shop, path, `${sorted}&size=5&page=${page}`)).collection.map(idOf));
  expect(paged).toEqual(expected);

  const followed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null && followed.length <= expected.length;) {
    const { next_cursor, collection } = await read(shop, path, `${sorted}&size=2${cursor && `&cursor=${cursor}`}`);
    followed.push(...collection.map(idOf));
    cursor = next_cursor;
  }
  expect(followed).toEqual(expected);

  const { body } = await call<string>(app, 'GET', `/reporting/exports/${file}?${sorted}`, undefined, shop.merchant);
  const lines = body.trim().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[0])).toEqual(expected);
});

test('a file of chosen subscriptions has only these, in the order', async () => {
  const { shop } = await filled('subscriptions');
  const sorted = await read(shop, '/subscriptions', 'sort=period_end&order=asc&size=100');
  const all = sorted.collection.map(({ subscription_id: id }) => String(id));
  const chosen = [all[7], all[2], all.at(-1)].map(String);
  const query = new URLSearchParams({ sort: 'period_end', order: 'asc' });
  for (const id of chosen) query.append('ids[]', id);
  const path = `/reporting/exports/subscriptions?${String(query)}`;
  const { body } = await call<string>(app, 'GET', path, undefined, shop.merchant);
  const lines = body.trim().split('\r\n').slice(1);
  expect(lines.map((line) => line.split(',')[0])).toEqual(all.filter((id) => chosen.includes(id)));
});

test.each(Object.keys(lists))('%s: without an order the newest come first, as before', async (name) => {
  const { shop, listed } = await filled(name);
  const usual = await read(shop, listed.path, 'size=5');
  expect(await read(shop, listed.path, 'size=5&order=desc')).toEqual(usual);
  const [key] = Object.keys(listed.keys);
  expect(await read(shop, listed.path, `size=5&sort=${key}`)).toEqual(usual);
});

test.each(Object.keys(lists))('422 invalid_input: %s have no such order', async (name) => {
  const { shop, listed } = await filled(name);
  for (const path of [listed.path, `/reporting/exports/${listed.file}`])
    for (const [field, value] of [
      ['sort', 'password_hash'],
      ['sort', 'id; DROP TABLE accounts'],
      ['order', 'random'],
    ] as const) {
      const reply = await call(app, 'GET', `${path}?${field}=${encodeURIComponent(value)}`, undefined, shop.merchant);
      const errors = { [field]: expect.stringContaining('one of') as unknown };
      expect([path, reply]).toEqual([
        path,
        expect.objectContaining({ status: 422, body: expect.objectContaining({ errors }) as unknown }),
      ]);
    }
});

test('422 invalid_input: a file is not sorted by the key of another list', async () => {
  const { shop } = await filled('items');
  const reply = await call(app, 'GET', '/reporting/exports/items?sort=email', undefined, shop.merchant);
  expect(reply).toMatchObject({ status: 422, body: { errors: { sort: 'The sort must be one of created, title.' } } });
  const unsorted = await call(app, 'GET', '/reporting/exports/webhooks?sort=created', undefined, shop.merchant);
  expect(unsorted).toMatchObject({ status: 422, body: { errors: { sort: expect.any(String) as unknown } } });
});

const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

test.each([
  ['customers', 'sort=email', cursorOf(1)],
  ['customers', 'sort=email', cursorOf(1, 'ada', 'name')],
  ['customers', '', cursorOf(1, 'ada', 'name')],
  ['customers', 'sort=name', cursorOf(1, 'a\0', 'name')],
  ['customers', 'sort=name', cursorOf(1, 'a'.repeat(321), 'name')],
  ['items', 'sort=title', cursorOf(1)],
  ['items', '', cursorOf(1, 'ada', 'title')],
  ['vouchers', 'sort=ends', cursorOf(1, 'soon', 'ends')],
  ['vouchers', 'sort=ends', cursorOf(1, '2026-02-30 10:00:00+00', 'ends')],
  ['subscriptions', 'sort=period_end', cursorOf(1, '2026-01-31 10:00:00+00')],
  ['subscriptions', 'sort=period_end', cursorOf(1, "now'::text", 'period_end')],
  ['subscriptions', '', cursorOf(1, '2026-01-31 10:00:00+00', 'period_end')],
])('422 invalid_input: %s, %s: the cursor of another order, or none', async (name, sorted, cursor) => {
  const { shop, listed } = await filled(name);
  const path = `${listed.path}?${sorted}&cursor=${cursor}`;
  const reply = await call(app, 'GET', path, undefined, shop.merchant);
  expect(reply).toMatchObject({ status: 422, body: { errors: { cursor: expect.any(String) as unknown } } });
});

test.each([
  ['customers', 'sort=name', cursorOf(Number.MAX_SAFE_INTEGER, `'); DROP TABLE accounts; --\\`, 'name')],
  ['items', 'sort=title&order=asc', cursorOf(Number.MAX_SAFE_INTEGER, '\uD800%_', 'title')],
  ['items', 'order=asc', cursorOf(Number.MAX_SAFE_INTEGER)],
  ['vouchers', 'sort=ends', cursorOf(-1, 'infinity', 'ends')],
  ['subscriptions', 'sort=period_end&order=asc', cursorOf(1, '-infinity', 'period_end')],
])('200: %s, %s: a cursor is a value, whatever it contains', async (name, sorted, cursor) => {
  const { shop, listed } = await filled(name);
  await read(shop, listed.path, `${sorted}&cursor=${cursor}`);
});

test.each(Object.keys(lists))('200: %s of another merchant are in no order', async (name) => {
  const { listed } = await filled(name);
  const other = await createShop(app);
  const own = new Set((await read(other, listed.path, 'size=100')).collection.map(({ id }) => id));
  for (const key of Object.keys(listed.keys)) {
    const { collection } = await read(other, listed.path, `sort=${key}&order=asc&size=100`);
    expect(new Set(collection.map(({ id }) => id))).toEqual(own);
  }
});

test('200: a row that is added meanwhile shifts no page of a cursor', async () => {
  const shop = await createShop(app);
  for (const title of ['a', 'c', 'e', 'g']) await createItem(app, shop.merchant, { title });
  const sorted = 'sort=title&order=asc&size=2';
  const first = await read(shop, '/v2/items', sorted);
  await createItem(app, shop.merchant, { title: 'b' });
  await createItem(app, shop.merchant, { title: 'd' });
  const second = await read(shop, '/v2/items', `${sorted}&cursor=${first.next_cursor}`);
  expect([first, second].map(({ collection }) => collection.map(({ title }) => title))).toEqual([
    ['a', 'c'],
    ['Cup final', 'd'],
  ]);
});
