import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unionCountries } from '../../../src/billing/tax/places';
import { reconcileCharges } from '../../support/backups';
import { call } from '../../support/client';
import { createShop, reaches, type Shop, subscribe } from '../../support/factories';
import { issued } from '../../support/invoices';
import { enterConsole } from '../../support/pageWalker';
import { createPayShop, paid, refund, refunded } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { intentOf } from '../../support/stripeNotifications';
import { startStripeServer, stripeSettings, type StripeServer } from '../../support/stripeServer';
import { atHome, nameSeller } from '../../support/tax';
import { passDays } from '../../support/testClock';

/** A charge that the reconciliation records after a restore has its tax and its invoice, as far as the database knows them. */

const dayMs = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * dayMs);

/** The one stop shop needs a rate of each member state. */
const others = [...unionCountries].filter((country) => !['DE', 'AT', 'FR'].includes(country));

/** The rate rises the day before yesterday. */
const table = `DE standard 2007-01-01 19
DE standard ${dayBefore(2).toISOString().slice(0, 10)} 25
AT standard 2016-01-01 20
FR standard 2014-01-01 20
${others.map((country) => `${country} standard 2007-01-01 21`).join('\n')}
`;

let app: TestApp;
let stripe: StripeServer;

beforeAll(async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'rates-')), 'rates.txt');
  writeFileSync(file, table);
  stripe = await startStripeServer();
  app = await startApp({ ...stripeSettings(stripe), TAX_RATES_FILE: file });
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await stripe.stop();
});

const oss = [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }];

interface Subscribed {
  shop: Shop;
  id: string;
}

/** A paid subscription of a customer in Austria, by default. */
async function subscribed(profile: Record<string, unknown> | undefined = {}, country = 'AT'): Promise<Subscribed> {
  const shop = await createShop(app, { amount: '10.00', description: 'Monthly' });
  if (profile) await nameSeller(app, shop, oss, profile);
  if (country !== '') await call(app, 'PUT', '/v2/accounts/billing-details', { name: 'Ana', country }, shop.consumer);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id };
}

/** A payment at Stripe whose charge was lost: it has a key of ours. */
async function payAtStripe(id: string, key: string, { amount, at }: { amount?: number; at?: Date } = {}) {
  const made = await intentOf(stripe, id);
  const reference = `pi_${randomUUID()}`;
  stripe.intents.set(reference, {
    ...made,
    id: reference,
    ...(amount !== undefined && { amount }),
    created: Math.floor((at ?? new Date()).getTime() / 1000),
    metadata: { ...made.metadata, paywall_charge: key },
  });
}

interface RecordedTax {
  treatment: string;
  country: string;
  rate: number;
  net: number;
  tax: number;
  gross: number;
  is_proved: boolean;
  evidence: Record<string, string>;
}

async function taxOf(key: string): Promise<RecordedTax | undefined> {
  const text = `SELECT t.treatment, t.country, t.rate_milli AS rate, t.net_minor::int AS net, t.tax_minor::int AS tax,
      t.gross_minor::int AS gross, t.is_proved, t.evidence
    FROM charge_taxes t JOIN charges c ON c.id = t.charge_id WHERE c.idempotency_key = $1`;
  return (await app.pool.query<RecordedTax>(text, [key])).rows[0];
}

/** Makes the reconciliation list the payments since a day. */
async function restoreFrom(backupAt: Date): Promise<void> {
  const { markRestored } = await import('../../../src/subscriptions/restorations.js');
  await markRestored(backupAt);
}

/** What the journal owes the tax office for a charge. */
async function bookedTax(key: string): Promise<number> {
  const text = `SELECT coalesce(sum(amount_minor), 0)::int AS tax FROM journal_entries
    WHERE credit_account = 'tax_payable' AND charge_id = (SELECT id FROM charges WHERE idempotency_key = $1)`;
  return (await app.pool.query<{ tax: number }>(text, [key])).rows[0]?.tax ?? 0;
}

const yearNow = () => new Date().getUTCFullYear();

test('a renewal has the tax of the address, an invoice with the next number, and its entry in the journal', async () => {
  const { shop, id } = await subscribed();
  const key = `${id}:2:1`;
  const at = dayBefore(1 / 24);
  await payAtStripe(id, key, { at });
  await reconcileCharges();
  expect(await taxOf(key)).toEqual({
    ...{ treatment: 'oss', country: 'AT', rate: 20_000, net: 833, tax: 167, gross: 1000 },
    // The card that paid is unknown.
    ...{ is_proved: false, evidence: { billing: 'AT' } },
  });
  expect(await bookedTax(key)).toBe(167);
  const documents = await issued(app, shop.merchant);
  expect(documents).toMatchObject([
    { kind: 'invoice', year: yearNow(), sequence_no: 1 },
    { kind: 'invoice', year: yearNow(), sequence_no: 2, net: 833, tax: 167, gross: 1000 },
  ]);
  expect(documents[1]?.lines).toMatchObject([{ kind: 'item', starts_at: Math.floor(at.getTime() / 1000) }]);
});

test('the invoice is dated today and names no card, and a second reconciliation issues no other', async () => {
  const { shop, id } = await subscribed();
  await restoreFrom(dayBefore(10));
  await payAtStripe(id, `${id}:2:1`, { at: dayBefore(5) });
  await reconcileCharges();
  await reconcileCharges();
  const documents = await issued(app, shop.merchant);
  expect(documents).toHaveLength(2);
  const text = `SELECT v.issued_at > now() - interval '1 hour' AS today, b.paid_with, b.last_four, b.name
    FROM invoices v JOIN invoice_buyers b ON b.invoice_id = v.id WHERE v.number = $1 AND v.merchant_id = $2`;
  const { rows } = await app.pool.query(text, [documents[1]?.number, shop.merchant.id]);
  expect(rows).toEqual([{ today: true, paid_with: '', last_four: '', name: 'Ana' }]);
});

test.each([
  ['before a change of the rate', 5, 19_000, 160],
  ['after it', 1, 25_000, 200],
])('the rate is that of the day of the payment: %s', async (_, days, rate, tax) => {
  const { id } = await subscribed({}, 'DE');
  await restoreFrom(dayBefore(10));
  await payAtStripe(id, `${id}:2:1`, { at: dayBefore(days) });
  await reconcileCharges();
  expect(await taxOf(`${id}:2:1`)).toMatchObject({ treatment: 'domestic', country: 'DE', rate, tax });
});

test('two pieces of evidence that the database has prove the country', async () => {
  const { id } = await subscribed();
  await app.pool.query(`UPDATE subscriptions SET country_iso = 'AT' WHERE token = $1`, [id]);
  await payAtStripe(id, `${id}:2:1`);
  await reconcileCharges();
  expect(await taxOf(`${id}:2:1`)).toMatchObject({ is_proved: true, evidence: { billing: 'AT', network: 'AT' } });
});

test('without evidence the customer counts as located in the country of the seller, as with every charge', async () => {
  const { id } = await subscribed({}, '');
  await app.pool.query(
    `UPDATE cards SET country = 'FR' WHERE id = (SELECT card_id FROM subscriptions WHERE token = $1)`,
    [id],
  );
  await payAtStripe(id, `${id}:2:1`);
  await reconcileCharges();
  expect(await taxOf(`${id}:2:1`)).toMatchObject({ country: 'DE', is_proved: false, evidence: {} });
});

test('a price without tax: the tax of the lost period is decided anew, and that of the stored period stays', async () => {
  const { shop, id } = await subscribed({ prices_include_tax: false });
  await call(app, 'PUT', '/v2/accounts/billing-details', { name: 'Ana', country: 'DE' }, shop.consumer);
  await payAtStripe(id, `${id}:2:1`, { amount: 1250 });
  // As in a backup of the moment before the first charge was stored.
  const first = await taxOf(`${id}:1:1`);
  await reconcileCharges();
  expect(first).toMatchObject({ country: 'AT', net: 1000, tax: 200 });
  expect(await taxOf(`${id}:2:1`)).toMatchObject({ country: 'DE', rate: 25_000, net: 1000, tax: 250, gross: 1250 });
  expect((await issued(app, shop.merchant))[1]?.lines).toMatchObject([
    { kind: 'item', tax_minor: 250, gross_minor: 1250 },
  ]);
});

/** Removes a charge, as if the backup were older. */
async function forgetCharge(key: string): Promise<void> {
  await app.pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     DELETE FROM invoice_buyers WHERE invoice_id IN (SELECT v.id FROM invoices v JOIN charges c ON c.id = v.charge_id
       WHERE c.idempotency_key = '${key}');
     DELETE FROM invoices WHERE charge_id = (SELECT id FROM charges WHERE idempotency_key = '${key}');
     DELETE FROM charge_taxes WHERE charge_id = (SELECT id FROM charges WHERE idempotency_key = '${key}');
     DELETE FROM charges WHERE idempotency_key = '${key}';
     COMMIT`,
  );
}

test('a price without tax: the first charge has the tax with which its amount was fixed', async () => {
  const { shop, id } = await subscribed({ prices_include_tax: false });
  await forgetCharge(`${id}:1:1`);
  await call(app, 'PUT', '/v2/accounts/billing-details', { name: 'Ana', country: 'DE' }, shop.consumer);
  await reconcileCharges();
  expect(await taxOf(`${id}:1:1`)).toMatchObject({ country: 'AT', rate: 20_000, net: 1000, tax: 200, gross: 1200 });
});

test('a one-time payment has its tax and its invoice, and a refund its credit note', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, oss);
  await call(app, 'PUT', '/v2/accounts/billing-details', { name: 'Ana', country: 'FR' }, shop.consumer);
  const token = await paid(app, shop);
  await forgetCharge(token);
  await reconcileCharges();
  expect(await taxOf(token)).toMatchObject({ treatment: 'oss', country: 'FR', net: 375, tax: 75, gross: 450 });
  expect((await refund(app, shop.merchant, token)).status).toBe(200);
  await refunded(app, token);
  expect((await issued(app, shop.merchant)).map(({ kind, tax }) => [kind, tax])).toEqual([
    ['invoice', 75],
    ['credit_note', -75],
  ]);
});

test('an invoice in a later year has a number of that year, and the period of its line begins with the payment', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const paidAt = Math.floor(Date.now() / 1000);
  const token = await paid(app, shop);
  await forgetCharge(token);
  const next = yearNow() + 1;
  await passDays(app, shop.merchant, Math.ceil((Date.UTC(next, 0, 10) - Date.now()) / dayMs));
  await reconcileCharges();
  const [document] = await issued(app, shop.merchant);
  expect(document).toMatchObject({ year: next, number: `TEST-${next}-000001` });
  expect(document?.lines[0]?.starts_at).toBeGreaterThanOrEqual(paidAt);
  expect(document?.lines[0]?.starts_at).toBeLessThan(paidAt + 86_400);
});

test('without a tax profile a recorded charge has no tax and no invoice', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  await forgetCharge(token);
  await reconcileCharges();
  expect([await taxOf(token), await issued(app, shop.merchant), await bookedTax(token)]).toEqual([undefined, [], 0]);
});

test('the transactions of the merchant tell which payment was recorded, so that a person looks at it', async () => {
  const { shop, id } = await subscribed();
  await payAtStripe(id, `${id}:2:1`);
  await reconcileCharges();
  const { body } = await call<{ collection: { trx_token: string; recorded_at: number }[] }>(
    app,
    'GET',
    '/payments/transactions',
    undefined,
    shop.merchant,
  );
  const times = Object.fromEntries(body.collection.map((row) => [row.trx_token, row.recorded_at]));
  expect(times).toEqual({ [`${id}-1-1`]: 0, [`${id}-2-1`]: expect.any(Number) as number });
  expect(times[`${id}-2-1`]).toBeGreaterThan(Date.now() / 1000 - 600);
  const file = await fetch(`${app.address}/reporting/exports/payment-history`, {
    headers: { Authorization: `Bearer ${shop.merchant.token}` },
  });
  const [head = '', ...lines] = (await file.text()).trim().split('\r\n');
  const recordedIn = (line: string) => line.split(',')[head.split(',').indexOf('recorded_at')] ?? 'no column';
  const told = new Map(lines.map((line) => [line.split(',')[0] ?? '', recordedIn(line)]));
  expect([told.size, told.get(`${id}-1-1`)]).toEqual([2, '']);
  expect(told.get(`${id}-2-1`)).toMatch(/^\d{4}-\d\d-\d\dT/);
});

test('the console says that the payment was recorded', async () => {
  const { shop, id } = await subscribed();
  const walker = await enterConsole(app, shop.merchant.email);
  const told = 'Recorded after a backup was restored. Check its tax and its invoice.';
  expect((await walker.open('/console/transactions')).text).not.toContain(told);
  await payAtStripe(id, `${id}:2:1`);
  await reconcileCharges();
  expect((await walker.open('/console/transactions')).text.split(told)).toHaveLength(2);
});
