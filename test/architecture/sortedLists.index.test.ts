import { call } from '../support/client';
import { copyRow } from '../support/copies';
import { createShop, type Shop } from '../support/factories';
import { live, startStory } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** Each order of a list reads a page by an index, instead of sorting all rows. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  const story = await startStory(app, shop);
  await live(story, [['begin', 0]]);
  const count = 20_000;
  const word = 'md5(n::text)';
  const time = `now() + n * interval '1 minute'`;
  const { id } = await createVoucher(app, shop.merchant);
  await copyRow(app, 'vouchers', {
    id,
    count,
    changes: { name: word, code: word, canonical_code: word, ends_at: time },
  });
  await copyRow(app, 'items', { id: shop.item.id, count, changes: { title: word } });
  await copyRow(app, 'accounts', {
    id: shop.consumer.id,
    count,
    changes: { uuid: 'gen_random_uuid()', email: word, email_normalized: word, full_name: word },
  });
  const ended = { token: word, state: `'expired'`, current_period_end: time };
  await copyRow(app, 'subscriptions', { id: story.id, count, changes: ended });
  await app.pool.query('ANALYZE vouchers, items, accounts, subscriptions');
}, 120_000);
afterAll(() => app.stop());

const orders: Record<string, [path: string, key: string]> = {
  accounts_consumer_email: ['/accounts/registered-users', 'email'],
  accounts_consumer_name: ['/accounts/registered-users', 'name'],
  items_alphabet: ['/v2/items', 'title'],
  vouchers_alphabet: ['/vouchers', 'name'],
  vouchers_code_start: ['/vouchers', 'code'],
  vouchers_ends: ['/vouchers', 'ends'],
  subscriptions_merchant_period_end: ['/subscriptions', 'period_end'],
};

async function readUses(): Promise<Record<string, number>> {
  const { rows } = await app.pool.query<{ name: string; uses: number }>(
    'SELECT indexrelname AS name, idx_scan::int AS uses FROM pg_stat_user_indexes WHERE indexrelname = ANY ($1)',
    [Object.keys(orders)],
  );
  return Object.fromEntries(rows.map(({ name, uses }) => [name, uses]));
}

interface Page {
  next_cursor: string;
}

async function read(address: string): Promise<string> {
  const { status, body } = await call<Page>(app, 'GET', address, undefined, shop.merchant);
  expect([address, status]).toEqual([address, 200]);
  return body.next_cursor;
}

test('200: each order is served by its index in both directions, also after a cursor', async () => {
  const before = await readUses();
  expect(Object.keys(before).sort()).toEqual(Object.keys(orders).sort());
  for (const [path, key] of Object.values(orders))
    for (const order of ['asc', 'desc']) {
      const address = `${path}?sort=${key}&order=${order}`;
      await read(`${address}&cursor=${await read(address)}`);
    }
  // PostgreSQL counts the scans of a session some seconds later.
  await until(async () => Object.entries(await readUses()).every(([name, uses]) => uses >= (before[name] ?? 0) + 4));
});
