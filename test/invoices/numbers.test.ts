import { type PoolClient } from 'pg';
import { type chargeCycle as chargeCycleType } from '../../src/subscriptions/charges/charges';
import { type sumTaxes as sumTaxesType } from '../../src/invoices/taxSums.model';
import { call } from '../support/client';
import { createConsumer, type Shop } from '../support/factories';
import { issued, wrongTaxSums } from '../support/invoices';
import { createPayShop, pay } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller, seller } from '../support/tax';
import { until } from '../support/until';

/** No worker runs, so each test charges the submitted payments itself. */

let app: TestApp;
let chargeCycle: typeof chargeCycleType;
let sumTaxes: typeof sumTaxesType;

beforeAll(async () => {
  app = await startApp();
  ({ chargeCycle } = await import('../../src/subscriptions/charges/charges.js'));
  ({ sumTaxes } = await import('../../src/invoices/taxSums.model.js'));
});

afterAll(() => app.stop());

/** A payment of a new customer that was not charged yet. */
async function submit(shop: Shop): Promise<{ paymentId: number }> {
  const { body } = await pay(app, { ...shop, consumer: await createConsumer(app, shop.merchant) });
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM payments WHERE token = $1', [body.transaction]);
  return { paymentId: rows[0]?.id ?? 0 };
}

/** Folds the figures of reports again and again, a few deltas at a time. */
async function foldWhile(isPaying: () => boolean): Promise<void> {
  while (isPaying()) await app.pool.query('SELECT fold_figures(7)');
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const numbersOf = async ({ merchant }: Shop) => (await issued(app, merchant)).map(({ sequence_no: no }) => no);

test('100 parallel purchases get 100 consecutive numbers, and count in tax reports while their figures are folded', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const submitted: { paymentId: number }[] = [];
  while (submitted.length < 100) submitted.push(await submit(shop));
  let isPaying = true;
  const folding = foldWhile(() => isPaying);
  const outcomes = await Promise.all(submitted.map((input) => chargeCycle(input)));
  isPaying = false;
  await folding;
  expect(outcomes.filter(({ outcome }) => outcome === 'paid')).toHaveLength(100);
  expect(await numbersOf(shop)).toEqual(upTo(100));
  expect(await wrongTaxSums(app, shop.merchant)).toEqual([]);
  const sums = await sumTaxes(shop.merchant.id, { from: '2000-01-01', end: '9999-01-01' });
  expect(sums).toMatchObject([{ documents: 100, netMinor: 37_800, taxMinor: 7200, grossMinor: 45_000 }]);
});

test('a repeated activity finds the charge paid and takes no other number', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const input = await submit(shop);
  await chargeCycle(input);
  const before = await issued(app, shop.merchant);
  expect(await chargeCycle(input, 2)).toMatchObject({ outcome: 'paid' });
  await Promise.all([chargeCycle(input, 2), chargeCycle(input, 3)]);
  expect(await issued(app, shop.merchant)).toEqual(before);
  expect(before).toHaveLength(1);
});

/** The next settlement waits until the client ends its transaction: for its number, or with its number for its document. */
const holds = {
  number: 'SELECT FROM invoice_sequences FOR UPDATE',
  document: 'LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE',
};

async function holdAt(place: keyof typeof holds): Promise<PoolClient> {
  const client = await app.pool.connect();
  await client.query('BEGIN');
  await client.query(holds[place]);
  return client;
}

/** Ends the connection of the settlement that waits. */
async function killWaiting(): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '%INTO invoice%' AND cardinality(pg_blocking_pids(pid)) > 0`;
  await until(async () => (await app.pool.query(text)).rows.length > 0);
}

test.each(['number', 'document'] as const)(
  'a process that dies before its COMMIT, while it waits for its %s, leaves no gap',
  async (place) => {
    const shop = await createPayShop(app);
    await nameSeller(app, shop);
    const [first, lost, last] = [await submit(shop), await submit(shop), await submit(shop)];
    await chargeCycle(first);
    const holder = await holdAt(place);
    const cutOff = chargeCycle(lost).then(
      () => 'settled',
      () => 'cut off',
    );
    await killWaiting();
    expect(await cutOff).toBe('cut off');
    await holder.query('ROLLBACK');
    holder.release();
    expect(await numbersOf(shop)).toEqual([1]);
    await chargeCycle(last);
    expect(await chargeCycle(lost, 2)).toMatchObject({ outcome: 'paid' });
    expect(await numbersOf(shop)).toEqual([1, 2, 3]);
  },
);

/** Moves the merchant's clock to an instant. */
const moveTo = (shop: Shop, at: Date) =>
  call(app, 'POST', '/test-clock', { advance: Math.round((at.getTime() - Date.now()) / 1000) }, shop.merchant);

test('the numbers of a year begin at midnight in the seller’s time zone', async () => {
  const [tokyo, utc] = [await createPayShop(app), await createPayShop(app)];
  const year = new Date(Date.now() + 86_400_000).getUTCFullYear();
  const eve = new Date(Date.UTC(year, 11, 31, 14, 50));
  for (const shop of [tokyo, utc]) {
    await nameSeller(app, shop);
    await moveTo(shop, eve);
    await chargeCycle(await submit(shop));
  }
  await call(app, 'PUT', '/v2/tax/settings', { ...seller, time_zone: 'Asia/Tokyo' }, tokyo.merchant);
  for (const shop of [tokyo, utc]) {
    await chargeCycle(await submit(shop));
    await call(app, 'POST', '/test-clock', { advance: 1200 }, shop.merchant);
    await chargeCycle(await submit(shop));
  }
  const numbers = async ({ merchant }: Shop) => (await issued(app, merchant)).map(({ number }) => number);
  expect(await numbers(tokyo)).toEqual([`TEST-${year}-000001`, `TEST-${year}-000002`, `TEST-${year + 1}-000001`]);
  expect(await numbers(utc)).toEqual([1, 2, 3].map((no) => `TEST-${year}-00000${no}`));
});

test('each merchant has numbers of its own, and one without a tax profile has none', async () => {
  const [one, other, none] = [await createPayShop(app), await createPayShop(app), await createPayShop(app)];
  await nameSeller(app, one);
  await nameSeller(app, other);
  for (const shop of [one, other, none]) await chargeCycle(await submit(shop));
  expect(await numbersOf(one)).toEqual([1]);
  expect(await numbersOf(other)).toEqual([1]);
  expect(await numbersOf(none)).toEqual([]);
});

test('an invoice, its buyer and its sequence do not change in the database', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  await chargeCycle(await submit(shop));
  const of = [shop.merchant.id];
  for (const text of [
    'UPDATE invoices SET gross_minor = 0 WHERE merchant_id = $1',
    'DELETE FROM invoices WHERE merchant_id = $1',
    `UPDATE invoice_buyers SET name = '' WHERE merchant_id = $1`,
    'DELETE FROM invoice_buyers WHERE merchant_id = $1',
  ])
    await expect(app.pool.query(text, of)).rejects.toThrow('an issued invoice does not change');
  for (const text of [
    'UPDATE invoice_sequences SET last_number = 5 WHERE merchant_id = $1',
    'DELETE FROM invoice_sequences WHERE merchant_id = $1',
  ])
    await expect(app.pool.query(text, of)).rejects.toThrow('an invoice number follows the last one');
});
