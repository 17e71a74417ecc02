import { countAssertions, findRuleFaults } from '../support/businessRules';
import { call, requestChange } from '../support/client';
import { createFee, purchase, reaches, subscribe, type Shop, type Submitted } from '../support/factories';
import { giveCredit } from '../support/balances';
import { findFaults, textsOf } from '../support/electronicInvoices';
import { issued } from '../support/invoices';
import { createPayShop, paid, refund, refunded } from '../support/payments';
import { readDocument } from '../support/receipts';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';
import { createVoucher } from '../support/vouchers';

/** What is embedded in the invoices of the product, against the published business rules of EN 16931 (Schematron). */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const inGermany = { country: 'DE', city: 'Berlin', tax_number: 'DE136695976' };
const inAustria = { country: 'AT', city: 'Wien', tax_number: 'ATU12345675' };
const inAustralia = { country: 'AU', city: 'Sydney', tax_number: '51 824 753 556' };

interface Sale {
  buyer?: Record<string, string>;
  fee?: Record<string, unknown>;
  profile?: Record<string, unknown>;
  registrations?: Record<string, unknown>[];
}

/** A shop whose customer is a business. */
async function createBusinessShop({
  buyer = inGermany,
  fee = {},
  profile,
  registrations = [atHome],
}: Sale): Promise<Shop> {
  const shop = await createPayShop(app, fee);
  await nameSeller(app, shop, registrations, profile);
  const { status } = await call(
    app,
    'PUT',
    '/v2/accounts/billing-details',
    { name: 'A GmbH', ...buyer },
    shop.consumer,
  );
  expect(status).toBe(200);
  return shop;
}

/** The embedded data of all documents of a shop, oldest first. Every one of them is valid. */
async function validDataOf({ merchant, consumer }: Shop): Promise<string[]> {
  const found: string[] = [];
  for (const { number } of await issued(app, merchant)) {
    const headers = { Authorization: `Bearer ${consumer.token}` };
    const { files } = await readDocument(await fetch(`${app.address}/invoices/${number}/document`, { headers }));
    const data = files[0]?.[1] ?? '';
    expect([number, await findFaults(data)]).toEqual([number, []]);
    found.push(data);
  }
  return found;
}

const categoryOf = (data: string | undefined) => textsOf(data ?? '', 'CategoryCode').at(-1);
const linesOf = (data: string | undefined) => textsOf(data ?? '', 'LineTotalAmount').slice(0, -1);

const kinds: [string, Sale, string, string][] = [
  ['a sale at home', {}, 'S', '0.72'],
  ['a reduced rate', { profile: { item_kind: 'press' } }, 'S', '0.29'],
  ['a reverse charge', { buyer: inAustria }, 'AE', '0.00'],
  ['a reverse charge outside of the Union', { buyer: inAustralia }, 'AE', '0.00'],
  ['an exempt seller', { registrations: [{ ...atHome, scheme: 'exempt' }] }, 'E', '0.00'],
  ['a price without tax', { profile: { prices_include_tax: false } }, 'S', '0.86'],
  ['yen', { fee: { currency: 'JPY', amount: '450' } }, 'S', '72'],
  ['the smallest amount', { fee: { amount: '0.50' } }, 'S', '0.08'],
];

test.each(kinds)('%s: the invoice and its credit note break no rule', async (_, sale, category, tax) => {
  const shop = await createBusinessShop(sale);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const [invoice, note, ...others] = await validDataOf(shop);
  expect(others).toEqual([]);
  for (const data of [invoice, note]) {
    expect(categoryOf(data)).toBe(category);
    expect(textsOf(data ?? '', 'TaxTotalAmount')).toEqual([tax]);
  }
});

const monthly = { access_type: 'subscription', quantity: 1, period: 'month', amount: '10', setup_fee_amount: '2.99' };

test.each([true, false])(
  'a price with a setup fee, a discount and a credit has four lines that add up (prices include tax: %s)',
  async (prices_include_tax) => {
    const shop = await createBusinessShop({ profile: { prices_include_tax }, fee: monthly });
    await giveCredit(app, shop.consumer.id, 101);
    const { code } = await createVoucher(app, shop.merchant, { discount: 33 });
    const wanted = { ...purchase(shop), voucher_code: code };
    const { body } = await call<Submitted>(app, 'POST', '/subscriptions', wanted, shop.consumer);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const [invoice] = await validDataOf(shop);
    expect(linesOf(invoice)).toHaveLength(4);
  },
);

test('the part of a period that a plan change pays, with the credit of the old plan', async () => {
  const shop = await createBusinessShop({ fee: monthly });
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const yearly = await createFee(app, shop.merchant, shop.item.id, { ...monthly, period: 'year', amount: '100' });
  const path = `/subscriptions/${body.subscription_id}/switch`;
  expect((await requestChange(app, 'POST', path, { access_fee_id: yearly.id }, shop.consumer)).status).toBe(200);
  const [, change] = await validDataOf(shop);
  expect(linesOf(change).length).toBeGreaterThan(0);
});

test('a total of zero has no invoice', async () => {
  const shop = await createBusinessShop({});
  const { code } = await createVoucher(app, shop.merchant, { discount: 100 });
  await paid(app, shop, undefined, { voucher_code: code });
  expect(await issued(app, shop.merchant)).toEqual([]);
});

/** What is spoiled, and the rule that notices it. */
const spoiled: [string, string | RegExp, string, string][] = [
  ['a total that is not net and tax', '>4.50</ram:GrandTotalAmount>', '>4.51</ram:GrandTotalAmount>', 'BR-CO-15'],
  ['lines that do not add up', /(<ram:LineTotalAmount>)3\.78/, '$13.77', 'BR-CO-10'],
  ['a tax of another rate', /(<ram:RateApplicablePercent>)19/g, '$199', 'BR-S-09'],
  [
    'a sale at home without a number of the seller',
    /<ram:SpecifiedTaxRegistration>.*?<\/ram:SpecifiedTaxRegistration>/s,
    '',
    'BR-S-02',
  ],
  ['a number without its country', '>DE136695976<', '>136695976<', 'BR-CO-09'],
  ['a country that does not exist', '>DE</ram:CountryID>', '>XX</ram:CountryID>', 'BR-CL-14'],
  ['an exemption without a reason', /(<ram:CategoryCode>)S/g, '$1E', 'BR-E-10'],
  [
    'a period that ends before it begins',
    /(<ram:EndDateTime><udt:DateTimeString format="102">)\d{4}/,
    '$12001',
    'BR-30',
  ],
];

test('a spoiled document breaks the rule that is there for it', async () => {
  const shop = await createBusinessShop({});
  await paid(app, shop);
  const [data = ''] = await validDataOf(shop);
  for (const [what, part, other, rule] of spoiled) {
    const changed = data.replace(part, other);
    expect([what, changed === data]).toEqual([what, false]);
    expect([what, findRuleFaults(changed)]).toEqual([what, expect.arrayContaining([rule])]);
  }
  // Version 1.3.15 as published. None was lost when the file was read.
  expect(countAssertions()).toBe(779);
});
