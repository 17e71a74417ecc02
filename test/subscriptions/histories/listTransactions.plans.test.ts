import { type Asked, askedBy } from '../../support/asked';
import { call } from '../../support/client';
import { copyRow } from '../../support/copies';
import { createConsumer, createFee, createItem, createShop, type Shop } from '../../support/factories';
import { type HistoryPage } from '../../support/history';
import { rowsReadBy } from '../../support/plans';
import { live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';
import { answerOf, importStores } from '../../support/storeTold';
import { vacuum } from '../../support/vacuum';

/** A page of the history is read from indexes, however many other payments there are, and only then joined to other tables. */

let app: TestApp;
let shop: Shop;
/** Another item, whose only customer paid another amount before everyone else. */
let rare: Shop;

const many = 20_000;
const columnsOf = {
  charges: 'settled_at',
  refunds: 'settled_at',
  subscriptions: 'trial_start',
  store_payments: 'paid_at',
} as const;
type Table = keyof typeof columnsOf;

/** A charge with a refund, a trial, and a refunded payment in an app store. */
async function sell(sold: Shop, minor: number): Promise<void> {
  const story = await startStory(app, sold);
  await live(story, [['begin', 0]]);
  await app.pool.query(
    `INSERT INTO refunds (token, merchant_id, account_id, charge_id, amount_minor, currency, revoke_access, state,
       requested_by, settled_at)
     SELECT 'R-' || id, merchant_id, account_id, id, $2, currency, false, 'refunded', merchant_id, settled_at
     FROM charges WHERE subscription_id = $1`,
    [story.id, minor],
  );
  await app.pool.query('UPDATE charges SET amount_minor = $2 WHERE subscription_id = $1', [story.id, minor]);
  await app.pool.query('UPDATE subscriptions SET trial_start = now() WHERE id = $1', [story.id]);
  const { claim } = await importStores();
  const price = { amount: minor / 100, currency: 'EUR' };
  const told = { state: 'active', isTrial: false, price, transaction: 1 } as const;
  await claim(sold, sold.consumer, 'apple', answerOf(`planned-${sold.item.id}`, told, Date.now()));
  await app.pool.query('UPDATE store_payments SET refunded_at = paid_at WHERE item_id = $1', [sold.item.id]);
}

/** One more sale for each hour before now. */
async function copySales({ item }: Shop): Promise<void> {
  const copy = `'copy-' || n`;
  const ago = `now() - n * interval '1 hour'`;
  const changes: Record<Table, Record<string, string>> = {
    charges: { idempotency_key: copy, trx_token: copy, cycle: '100 + n', reference: 'NULL', settled_at: ago },
    refunds: { token: copy, settled_at: ago },
    subscriptions: { token: copy, state: `'expired'`, trial_start: ago },
    store_payments: { transaction_id: copy, paid_at: ago, refunded_at: ago },
  };
  for (const [table, changed] of Object.entries(changes)) {
    const { rows } = await app.pool.query<{ id: number }>(`SELECT id FROM ${table} WHERE item_id = $1`, [item.id]);
    await copyRow(app, table, { id: rows[0]?.id ?? 0, count: many, changes: changed });
  }
}

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app, { amount: '10.00' });
  await sell(shop, 1000);
  await copySales(shop);
  const item = await createItem(app, shop.merchant, { title: 'Audio edition' });
  const consumer = await createConsumer(app, shop.merchant);
  rare = { ...shop, item, consumer, fee: await createFee(app, shop.merchant, item.id, { amount: '12.34' }) };
  await sell(rare, 1234);
  for (const [table, column] of Object.entries(columnsOf))
    await app.pool.query(`UPDATE ${table} SET ${column} = now() - interval '5 years' WHERE item_id = $1`, [item.id]);
  await app.pool.query(`UPDATE store_payments SET refunded_at = paid_at WHERE item_id = $1`, [item.id]);
  await vacuum(app.pool, [
    'charges',
    'refunds',
    'subscriptions',
    'store_payments',
    'payments',
    'access_fees',
    'accounts',
  ]);
}, 300_000);
afterAll(() => app.stop());

const rareAmount = 'amount_from=12.34&amount_to=12.34';

const few: [string, number, () => string][] = [
  ['a customer', 5, () => `account_id=${rare.consumer.id}`],
  ['an item with few sales', 5, () => `item_id=${rare.item.id}`],
  ['an amount of a customer', 4, () => `account_id=${rare.consumer.id}&${rareAmount}`],
  ['an amount of an item with few sales', 4, () => `item_id=${rare.item.id}&${rareAmount}`],
];
const pastDay = new Date(Date.now() - 100 * 86_400_000).toISOString().slice(0, 10);
/** The rows of one day or of one table. */
const parts: typeof few = [
  ['a past day', 15, () => `startDate=${pastDay}&endDate=${pastDay}`],
  ['the later refunds by card', 15, () => `type=refund&exclude=store-payment&startDate=${pastDay}`],
  ['payments in app stores without app stores', 0, () => 'type=external&exclude=store-payment'],
];
const searched: typeof few = [
  ...few,
  ...parts,
  ['all payments', 15, () => ''],
  ['an item with many sales', 15, () => `item_id=${shop.item.id}`],
  ['an item with many sales, the first one first', 15, () => `item_id=${shop.item.id}&order=asc`],
  ['an amount that only the first payments have', 4, () => rareAmount],
  ['an amount that no later payment reaches', 4, () => 'amount_from=12.34'],
  ['an amount that nobody paid', 0, () => 'amount_from=12.35'],
  ['an amount that no payment for the item has', 0, () => `item_id=${shop.item.id}&${rareAmount}`],
  ['an amount among the refunds', 2, () => `type=refund&${rareAmount}`],
];

/**
 * The statements on charges or refunds, and the most rows that each may read: each found row with its details from a
 * dozen tables.
 */
async function statementsOf(query: string, found: number) {
  const asked = await askedBy(async () => {
    const path = `/payments/transactions?limit=15&${query}`;
    const { body } = await call<HistoryPage>(app, 'GET', path, undefined, shop.merchant);
    expect(body.collection).toHaveLength(found);
  });
  const onSales = asked.filter(({ text }) => /\b(charges|refunds)\b/.test(text));
  const isPage = ({ text }: Asked) => text.includes('WITH page');
  return { page: onSales.find(isPage), totals: onSales.find((one) => !isPage(one)), most: 20 * found + 20 };
}

async function expectAtMost(most: number, asked: Asked | undefined): Promise<void> {
  if (!asked) throw new Error('the statement was not sent');
  expect([asked.text, (await rowsReadBy(asked)) <= most]).toEqual([asked.text, true]);
}

test.each(searched)('200: a page of %s', async (_, found, query) => {
  const { page, most } = await statementsOf(query(), found);
  await expectAtMost(most, page);
});

test.each([...few, ...parts])('200: the totals of %s', async (_, found, query) => {
  const { totals, most } = await statementsOf(query(), found);
  await expectAtMost(most, totals);
});
