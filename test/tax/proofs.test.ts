import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { enterConsole } from '../support/pageWalker';
import { createPayShop, paid, payWithAuthentication, refund, refunded, settles, withItem } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';
import { saying, startViesServer, type ViesServer } from '../support/viesServer';

/** A sale with reverse charge keeps the proof of the look-up on which it relied. */

let app: TestApp;
let vies: ViesServer;

beforeAll(async () => {
  vies = await startViesServer();
  app = await startApp({ VIES_URL: vies.url });
  await app.startWorker();
});
beforeEach(() => app.pool.query(`UPDATE billing_details SET has_register = false`));
afterAll(async () => {
  await app.stop();
  await vies.stop();
});

const path = '/v2/accounts/billing-details';
const austria = { country: 'AT', tax_number: 'ATU13585627' };

interface Proof {
  kind: string;
  number: string;
  tax_number_confirmed_at: number | null;
  tax_number_consultation: string;
  tax_number_entry: string;
}

/** Looks the number up again, as 31 days later. */
async function lookUpAgain({ consumer }: Shop, consultation: string, entry: object = {}): Promise<void> {
  const text = `UPDATE billing_details SET tax_number_confirmed_at = now() - interval '31 days' WHERE account_id = $1`;
  await app.pool.query(text, [consumer.id]);
  vies.answer = saying('VALID', consultation, entry);
  const { lookUpTaxNumbers } = await import('../../src/tax/numberLookUps.js');
  await lookUpTaxNumbers();
}

const proofsOf = async ({ merchant }: Shop) =>
  (await call<{ collection: Proof[] }>(app, 'GET', '/payments/invoices', undefined, merchant)).body.collection;

/** A business of Austria that VIES has confirmed, and its confirmation. */
async function createBusiness(fields: Record<string, unknown> = {}) {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, undefined, { tax_number: 'DE136695976', ...fields });
  vies.answer = saying('VALID', 'WAPI-1');
  const { body } = await call<{ tax_number_confirmed_at: number }>(app, 'PUT', path, austria, shop.consumer);
  return { shop, confirmedAt: body.tax_number_confirmed_at };
}

test.each([true, false])(
  'each sale keeps its own proof, also its credit note; prices include tax: %p',
  async (includes) => {
    const { shop, confirmedAt } = await createBusiness({ prices_include_tax: includes });
    const first = await paid(app, shop);
    await lookUpAgain(shop, 'WAPI-2');
    await paid(app, await withItem(app, shop));
    await refund(app, shop.merchant, first, {});
    await refunded(app, first);
    const [credited, later, earlier] = await proofsOf(shop);
    expect(earlier).toMatchObject({ tax_number_confirmed_at: confirmedAt, tax_number_consultation: 'WAPI-1' });
    expect(credited).toMatchObject({
      ...{ kind: 'credit_note', tax_number_confirmed_at: confirmedAt, tax_number_consultation: 'WAPI-1' },
    });
    expect(later?.tax_number_consultation).toBe('WAPI-2');
    const file = await call<string>(app, 'GET', '/reporting/exports/invoices', undefined, shop.merchant);
    for (const consultation of ['WAPI-1', 'WAPI-2'])
      expect(file.body).toMatch(new RegExp(`,AT,reverse_charge,ATU13585627,\\d{4}-[^,]+,${consultation},`));
    const one = await call<Proof>(app, 'GET', `/invoices/${earlier?.number}`, undefined, shop.merchant);
    expect(one.body.tax_number_consultation).toBe('WAPI-1');
  },
);

const wien = { name: 'Wien Medien GmbH', address: 'Ring 1\n1010 Wien' };
const entry = 'Wien Medien GmbH, Ring 1, 1010 Wien';

test('the invoice keeps the number, what VIES told about it, its time and its consultation number, also after an erasure', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, undefined, { tax_number: 'DE136695976' });
  vies.answer = saying('VALID', 'WAPI-3', wien);
  const { body } = await call<{ tax_number_confirmed_at: number }>(app, 'PUT', path, austria, shop.consumer);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token, {});
  await refunded(app, token);
  await lookUpAgain(shop, 'WAPI-4');
  const kept = {
    ...{ buyer_tax_number: 'ATU13585627', tax_number_confirmed_at: body.tax_number_confirmed_at },
    ...{ tax_number_consultation: 'WAPI-3', tax_number_entry: entry },
  };
  expect(await proofsOf(shop)).toMatchObject([kept, kept]);
  const walker = await enterConsole(app, shop.merchant.email);
  expect((await walker.open('/console/invoices')).text).toContain(entry);
  const file = await call<string>(app, 'GET', '/reporting/exports/invoices', undefined, shop.merchant);
  expect(file.body).toContain(`WAPI-3,"${entry}"`);
  const { forgetAccount } = await import('../../src/privacy/erasures.model.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  await transaction((inTransaction) => forgetAccount(inTransaction, shop.consumer.id, ''));
  expect(await proofsOf(shop)).toMatchObject([kept, kept]);
});

test('a look-up between the charge and its payment does not lend its name and address to an earlier proof', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, undefined, { tax_number: 'DE136695976' });
  vies.answer = saying('VALID', 'WAPI-5', wien);
  await call(app, 'PUT', path, austria, shop.consumer);
  const waiting = await payWithAuthentication(app, shop);
  await lookUpAgain(shop, 'WAPI-6', { name: 'Graz Medien GmbH', address: '---' });
  await waiting.answer('approved');
  await settles(app, waiting.id, 'paid');
  expect(await proofsOf(shop)).toMatchObject([{ tax_number_consultation: 'WAPI-5', tax_number_entry: '' }]);
  await paid(app, await withItem(app, shop));
  const later = { tax_number_consultation: 'WAPI-6', tax_number_entry: 'Graz Medien GmbH' };
  expect((await proofsOf(shop))[0]).toMatchObject(later);
});

test('a first confirmation between the charge and its payment gives the sale no name and address', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  vies.answer = saying('MS_UNAVAILABLE');
  await call(app, 'PUT', path, austria, shop.consumer);
  const waiting = await payWithAuthentication(app, shop);
  await lookUpAgain(shop, 'WAPI-7', wien);
  await waiting.answer('approved');
  await settles(app, waiting.id, 'paid');
  expect(await proofsOf(shop)).toMatchObject([{ tax_number_confirmed_at: null, tax_number_entry: '' }]);
});

test.each([
  ['dashes for the name and the address', { name: '---', address: '---' }, ''],
  ['control characters', { name: 'Wien\u0000Medien', address: 'Ring\t1\r\n\n1010' }, 'Wien Medien, Ring 1, 1010'],
  ['a name alone', { name: ' Wien Medien GmbH ', address: '---' }, 'Wien Medien GmbH'],
  ['a text of 600 characters', { name: 'x'.repeat(600), address: '' }, 'x'.repeat(500)],
])('VIES answers with %s', async (_what, told, expected) => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  vies.answer = saying('VALID', '', told);
  await call(app, 'PUT', path, austria, shop.consumer);
  await paid(app, shop);
  expect((await proofsOf(shop))[0]?.tax_number_entry).toBe(expected);
});

test('the console shows the proof beside the customer of the sale', async () => {
  const { shop } = await createBusiness();
  await paid(app, shop);
  const walker = await enterConsole(app, shop.merchant.email);
  const { text } = await walker.open('/console/invoices');
  expect(text).toContain('ATU13585627');
  expect(text).toMatch(/confirmed by VIES on [^<]+ \(WAPI-1\)/);
});

test('a sale without a confirmation has no proof, and the proof of a later look-up is not added', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  vies.answer = saying('MS_UNAVAILABLE');
  await call(app, 'PUT', path, austria, shop.consumer);
  await paid(app, shop);
  vies.answer = saying('VALID', 'WAPI-3');
  await lookUpAgain(shop, 'WAPI-3');
  expect(await proofsOf(shop)).toMatchObject([{ tax_number_confirmed_at: null, tax_number_consultation: '' }]);
});
