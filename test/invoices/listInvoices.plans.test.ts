import { askedBy } from '../support/asked';
import { call } from '../support/client';
import { copyRow } from '../support/copies';
import { type Shop } from '../support/factories';
import { createTaxedShop, type InvoicePage } from '../support/invoices';
import { paid } from '../support/payments';
import { rowsReadBy } from '../support/plans';
import { startApp, type TestApp } from '../support/startApp';
import { vacuum } from '../support/vacuum';

/** A page of invoices is read from an index, however many other documents there are, and only then joined to other tables. */

let app: TestApp;
let shop: Shop;

const documents = 20_000;

// A document for each hour until now, with ids in the order of their issue. Their charges are declined, because a payment has only
// one paid charge.
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM charges WHERE trx_token = $1', [token]);
  const key = `'copy ' || n`;
  await copyRow(app, 'charges', {
    id: rows[0]?.id ?? 0,
    count: documents,
    changes: { idempotency_key: key, trx_token: key, reference: 'NULL', status: `'declined'`, settled_at: 'NULL' },
  });
  const columns = `merchant_id, is_test, kind, time_zone, currency, net_minor, tax_minor, gross_minor, treatment, tax_country,
    rate_milli, seller, lines`;
  await app.pool.query(
    `INSERT INTO invoices (${columns}, year, sequence_no, charge_id, issued_at)
     SELECT ${columns.replaceAll(/\w+/g, 'v.$&')}, 2000, row_number() OVER (ORDER BY c.id), c.id,
       v.issued_at - (${documents} - row_number() OVER (ORDER BY c.id)) * interval '1 hour'
     FROM invoices v JOIN charges c ON c.merchant_id = v.merchant_id AND c.status = 'declined'
     WHERE v.merchant_id = $1 AND v.kind = 'invoice' AND v.year > 2000 ORDER BY c.id`,
    [shop.merchant.id],
  );
  await vacuum(app.pool, ['invoices', 'charges', 'invoice_buyers', 'accounts']);
}, 120_000);
afterAll(() => app.stop());

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
const month = `startDate=${dayOf(730)}&endDate=${dayOf(700)}`;

test.each([
  ['all documents', '', 15],
  ['a past month', `&${month}`, 15],
  ['a past month, the first one first', `&${month}&sort=issued&order=asc`, 15],
  ['a kind that no document has', '&kind=cancellation', 0],
  ['a kind that no document of a past month has', `&kind=credit_note&${month}`, 0],
])('200: %s', async (_, query, found) => {
  const asked = await askedBy(async () => {
    const { body } = await call<InvoicePage>(
      ...([app, 'GET', `/payments/invoices?limit=15${query}`, undefined, shop.merchant] as const),
    );
    expect(body.collection).toHaveLength(found);
  });
  const statements = asked.filter(({ text }) => /\binvoices\b/.test(text));
  expect(statements.length).toBeGreaterThan(0);
  // Each document is read with its charge, its buyer, a refund and what it corrects.
  for (const one of statements) expect([one.text, (await rowsReadBy(one)) <= 5 * found]).toEqual([one.text, true]);
});

test('200: the next page of a past month continues after the cursor, in both directions', async () => {
  for (const order of ['asc', 'desc']) {
    const path = `/payments/invoices?${month}&sort=issued&order=${order}`;
    const read = async (query: string) =>
      (await call<InvoicePage>(app, 'GET', `${path}&${query}`, undefined, shop.merchant)).body;
    const numbers = ({ collection }: InvoicePage) => collection.map(({ number }) => number);
    const first = await read('limit=10');
    const next = await read(`limit=10&cursor=${first.next_cursor}`);
    expect([...numbers(first), ...numbers(next)]).toEqual(numbers(await read('limit=20')));
    expect(next.total).toBe(first.total);
  }
});
