import { call } from '../support/client';
import { createConsumer, type Shop } from '../support/factories';
import { createTaxedShop } from '../support/invoices';
import { enterConsole } from '../support/pageWalker';
import { paid } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

interface Sale {
  trx_token: string;
  consumer_id: number;
}

const list = ({ merchant }: Shop, query = '') =>
  call<{ total: number; next_cursor: string | null; collection: Sale[] }>(
    app,
    'GET',
    `/reporting/tax/unproved?${query}`,
    undefined,
    merchant,
  );

/** A sale to another customer. The card of the sandbox and the network address of the test name no country. */
async function sell(shop: Shop, country?: string): Promise<{ token: string; consumerId: number }> {
  const consumer = await createConsumer(app, shop.merchant);
  const details = { name: 'Ana', address_line: 'Street 1', postal_code: '1000', city: 'City', country };
  if (country !== undefined) await call(app, 'PUT', '/v2/accounts/billing-details', details, consumer);
  return { token: await paid(app, { ...shop, consumer }), consumerId: consumer.id };
}

/** Another piece of evidence for a sale, as if it had been there before the payment. */
async function prove(token: string): Promise<void> {
  const ofSale = `charge_id = (SELECT id FROM charges WHERE trx_token = '${token}')`;
  await app.pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     SELECT count_document(v, -1) FROM invoices v WHERE ${ofSale};
     UPDATE charge_taxes SET is_proved = true, evidence = '{"billing":"DE","card":"DE"}' WHERE ${ofSale};
     SELECT count_document(v, 1) FROM invoices v WHERE ${ofSale}; COMMIT`,
  );
}

test('200: the sales with one piece of evidence or none, newest first, and none that is proved', async () => {
  const [shop, other] = [await createTaxedShop(app), await createTaxedShop(app)];
  await sell(other, 'DE');
  const one = await sell(shop, 'DE');
  const proved = await sell(shop, 'DE');
  const none = await sell(shop);
  await prove(proved.token);
  const { status, body } = await list(shop);
  expect(status).toBe(200);
  const amounts = { gross_amount: 4.5, tax_amount: 0.72, currency_iso: 'EUR', treatment: 'domestic', country: 'DE' };
  const noNumber = { tax_number: '', register: '', confirmed_at: null, consultation: '' };
  const nothing = { billing: '', card: '', network: '', ...noNumber };
  expect(body).toMatchObject({
    total: 2,
    next_cursor: null,
    collection: [
      { ...amounts, trx_token: none.token, consumer_id: none.consumerId, evidence: nothing },
      { ...amounts, trx_token: one.token, consumer_id: one.consumerId, evidence: { ...nothing, billing: 'DE' } },
    ],
  });
  await app.pool.query('SELECT fold_figures(1000000)');
  const page = (await list(shop, 'limit=1')).body;
  expect(page.total).toBe(2);
  expect(page.collection.map(({ trx_token: token }) => token)).toEqual([none.token]);
  const next = (await list(shop, `limit=1&cursor=${page.next_cursor}`)).body;
  expect(next.collection.map(({ trx_token: token }) => token)).toEqual([one.token]);
});

test('200: the console lists them behind the tax report', async () => {
  const shop = await createTaxedShop(app);
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open('/console/reports/tax')).text).toContain('href="/console/reports/tax/unproved"');
  const address = '/console/reports/tax/unproved';
  expect((await walker.open(address)).text).toContain('The country of every sale is proved.');
  const { token } = await sell(shop, 'DE');
  const { text } = await walker.open(address);
  for (const expected of ['Domestic', '€4.50', '€0.72', token.slice(0, 6)]) expect(text).toContain(expected);
  expect(text).toMatch(/data-title="Billing"[^>]*>Germany</);
  expect(text).toMatch(/data-title="Card"[^>]*>–</);
});
