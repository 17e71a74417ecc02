import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { createTaxedShop, issued } from '../support/invoices';
import { entriesOf, journalFaults } from '../support/journal';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** The tax of a charge that the bank takes back. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

type Status = 'needs_response' | 'under_review' | 'won' | 'lost';

interface Report {
  token: string;
  status: Status;
  amountMinor?: number;
  currency?: string;
  /** Several disputes of one charge. */
  no?: number;
}

let seconds = 0;

/** The provider reports a dispute of the charge, each time a second later. */
async function report({ token, status, amountMinor, currency, no = 1 }: Report): Promise<void> {
  const { findPurchase } = await import('../../src/subscriptions/charges/charges.model.js');
  const { followDisputeNow } = await import('../../src/subscriptions/provider/providerNotifications.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const text =
    'SELECT c.reference FROM charges c JOIN payments p ON p.id = c.payment_id WHERE $1 IN (p.token, c.trx_token)';
  const { rows } = await app.pool.query<{ reference: string }>(text, [token]);
  const purchase = await findPurchase(rows[0]?.reference ?? '');
  if (!purchase) throw new Error('There is no purchase');
  seconds += 1;
  const at = new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
  const stated = { ...(amountMinor !== undefined && { amountMinor }), ...(currency !== undefined && { currency }) };
  const dispute = { reference: `${token}-${no}`, status, at, reason: 'fraudulent', ...stated };
  await transaction((inTransaction) => followDisputeNow(inTransaction, { dispute, purchase, provider: 'sandbox' }));
}

const documents = async ({ merchant }: Pick<Shop, 'merchant'>) =>
  (await issued(app, merchant)).map(({ kind, gross, tax, corrects }) => [kind, gross, tax, corrects]);
const taxEntries = async ({ merchant }: Pick<Shop, 'merchant'>) =>
  (await entriesOf(app.pool, merchant.id, 'dispute')).filter((entry) => entry.includes('tax_payable'));

async function sell(): Promise<{ shop: Shop; token: string; number: string }> {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  const [invoice] = await issued(app, shop.merchant);
  return { shop, token, number: invoice?.number ?? '' };
}

test('a lost chargeback has a credit note, and its tax is not owed any more', async () => {
  const { shop, token, number } = await sell();
  for (const status of ['needs_response', 'under_review'] as const) await report({ token, status });
  expect(await documents(shop)).toEqual([['invoice', 450, 72, null]]);
  for (const status of ['lost', 'lost'] as const) await report({ token, status });
  expect(await documents(shop)).toEqual([
    ['invoice', 450, 72, null],
    ['credit_note', -450, -72, number],
  ]);
  expect((await issued(app, shop.merchant))[1]?.lines).toMatchObject([{ kind: 'chargeback', gross_minor: -450 }]);
  expect(await taxEntries(shop)).toEqual(['tax_payable > chargebacks 72']);
  const year = new Date().getUTCFullYear();
  const { body } = await call<{ collection: { tax_amount: number }[] }>(
    app,
    'GET',
    `/reporting/tax?year=${year}`,
    undefined,
    shop.merchant,
  );
  expect(body.collection.reduce((sum, { tax_amount: tax }) => sum + tax, 0)).toBe(0);
});

test('a won dispute corrects nothing, and one that is won after it was lost cancels the credit note', async () => {
  const won = await sell();
  for (const status of ['needs_response', 'won'] as const) await report({ token: won.token, status });
  expect(await documents(won.shop)).toEqual([['invoice', 450, 72, null]]);
  const { shop, token, number } = await sell();
  for (const status of ['lost', 'won', 'won', 'lost'] as const) await report({ token, status });
  const all = await issued(app, shop.merchant);
  expect(await documents(shop)).toEqual([
    ['invoice', 450, 72, null],
    ['credit_note', -450, -72, number],
    ['cancellation', 450, 72, all[1]?.number],
    ['credit_note', -450, -72, number],
  ]);
  expect(await taxEntries(shop)).toEqual([
    'tax_payable > chargebacks 72',
    'chargebacks > tax_payable 72',
    'tax_payable > chargebacks 72',
  ]);
});

test('a chargeback of a part, beside a refund and another chargeback, corrects no more than the charge', async () => {
  const { shop, token } = await sell();
  await report({ token, status: 'lost', amountMinor: 200 });
  await refund(app, shop.merchant, token, { amount: '1.00' });
  await refunded(app, token);
  await report({ token, status: 'lost', amountMinor: 200, no: 2 });
  await report({ token, status: 'lost', amountMinor: 100, no: 3 });
  const [invoice, ...notes] = await documents(shop);
  expect(invoice?.slice(0, 3)).toEqual(['invoice', 450, 72]);
  expect(notes.map(([kind, gross]) => [kind, gross])).toEqual([
    ['credit_note', -200],
    ['credit_note', -100],
    ['credit_note', -150],
  ]);
  expect(notes.reduce((sum, [, , tax]) => sum + Number(tax), 0)).toBe(-72);
});

test('a chargeback that the bank states in another currency corrects the whole charge', async () => {
  const { shop, token } = await sell();
  await report({ token, status: 'lost', amountMinor: 70_000, currency: 'JPY' });
  expect((await documents(shop)).slice(1).map(([, gross, tax]) => [gross, tax])).toEqual([[-450, -72]]);
});

test('two chargebacks that are lost at the same time correct no more than the charge', async () => {
  const { shop, token } = await sell();
  await Promise.all([1, 2].map((no) => report({ token, status: 'lost', amountMinor: 300, no })));
  const notes = (await documents(shop)).slice(1);
  expect(notes.map(([, gross]) => Number(gross)).sort((a, b) => a - b)).toEqual([-300, -150]);
});

test('a merchant without a tax profile has no correction', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  await report({ token, status: 'lost' });
  expect(await documents(shop)).toEqual([]);
  expect(await taxEntries(shop)).toEqual([]);
});
