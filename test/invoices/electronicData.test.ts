import { electronicDataOf } from '../../src/invoices/electronicData';
import { type IssuedInvoice } from '../../src/invoices/lists.model';
import { findFaults, findSchemaFaults, textsOf } from '../support/electronicInvoices';
import { issuedInvoice } from '../support/issuedInvoice';

/** EN 16931 data of invoices between businesses. */

const { buyer, seller } = issuedInvoice;

const whole = {
  kind: 'item',
  text: 'Cup final',
  detail: '',
  starts_at: 1_767_222_000,
  ends_at: 1_769_900_400,
} as const;
const amounts = (net_minor: number, tax_minor: number) => ({
  net_minor,
  tax_minor,
  gross_minor: net_minor + tax_minor,
});

const texts = {
  nameOf: ({ text }: { text: string }) => text || 'Voucher',
  paidWith: 'Visa ending in 4242',
  reason: '',
};

const dataOf = (changes: Partial<IssuedInvoice> = {}, words = texts) =>
  electronicDataOf({ ...issuedInvoice, ...changes }, words);

async function validDataOf(changes: Partial<IssuedInvoice> = {}, words = texts): Promise<string> {
  const data = dataOf(changes, words) ?? '';
  expect(await findFaults(data)).toEqual([]);
  return data;
}

const oneLine = (xml: string) => xml.replaceAll(/>\s+</g, '><');

test('the schema refuses what is not an invoice, so that the tests below prove something', async () => {
  const data = dataOf() ?? '';
  expect(
    await findSchemaFaults(data.replace('<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>', '')),
  ).not.toEqual([]);
  expect(await findSchemaFaults(data.replaceAll('ram:TaxBasisTotalAmount', 'ram:Total'))).not.toEqual([]);
});

test('an invoice has its parties, its sums, its period and its payment', async () => {
  const data = await validDataOf();
  expect(textsOf(data, 'ID')).toEqual(
    expect.arrayContaining(['urn:cen.eu:en16931:2017', '2026-000001', 'DE136695976', 'ATU12345675', '4242']),
  );
  expect(textsOf(data, 'TypeCode')).toEqual(['380', 'VAT', '48', 'VAT']);
  expect(textsOf(data, 'Name')).toEqual(['Cup final', 'News Ltd', 'Wien Medien GmbH']);
  expect(textsOf(data, 'PostcodeCode')).toEqual(['10115', '1010']);
  expect(textsOf(data, 'URIID')).toEqual(['buchhaltung@wien.example']);
  expect(textsOf(data, 'CategoryCode')).toEqual(['S', 'S']);
  expect(textsOf(data, 'RateApplicablePercent')).toEqual(['19', '19']);
  expect(textsOf(data, 'LineTotalAmount')).toEqual(['10.00', '10.00']);
  expect(textsOf(data, 'TaxTotalAmount')).toEqual(['1.90']);
  expect(textsOf(data, 'GrandTotalAmount')).toEqual(['11.90']);
  expect(textsOf(data, 'TotalPrepaidAmount')).toEqual(['11.90']);
  expect(textsOf(data, 'DuePayableAmount')).toEqual(['0.00']);
  // Days of the seller's time zone: the issue, the period, and its begin as the delivery.
  const days = [...data.matchAll(/format="102">(\d+)</g)].map(([, day]) => day);
  expect(days).toEqual(['20260101', '20260101', '20260201', '20260101']);
});

test('a discount is minus one unit, because the standard has no negative price', async () => {
  const discount = { kind: 'discount', text: '', detail: '', starts_at: null, ends_at: null } as const;
  const data = await validDataOf({
    lines: [
      { ...whole, ...amounts(1200, 228) },
      { ...discount, ...amounts(-200, -38) },
    ],
  });
  expect(textsOf(data, 'ChargeAmount')).toEqual(['12.00', '2.00']);
  expect(textsOf(data, 'BilledQuantity')).toEqual(['1', '-1']);
  expect(textsOf(data, 'LineTotalAmount')).toEqual(['12.00', '-2.00', '10.00']);
  expect(textsOf(data, 'Name').slice(0, 2)).toEqual(['Cup final', 'Voucher']);
});

test('a credit note has positive amounts and names its invoice; its cancellation is an invoice', async () => {
  const refund = { kind: 'refund', text: 'Cup final', detail: '', starts_at: null, ends_at: null } as const;
  const note = { kind: 'credit_note', number: '2026-000002', corrects: '2026-000001' } as const;
  const sums = { netMinor: -105, taxMinor: -20, grossMinor: -125 };
  const data = await validDataOf({ ...note, ...sums, lines: [{ ...refund, ...amounts(-105, -20) }] });
  expect(textsOf(data, 'TypeCode')[0]).toBe('381');
  expect(textsOf(data, 'BilledQuantity')).toEqual(['1']);
  expect(textsOf(data, 'GrandTotalAmount')).toEqual(['1.25']);
  expect(textsOf(data, 'IssuerAssignedID')).toEqual(['2026-000001']);
  const cancelled = await validDataOf({
    ...{ kind: 'cancellation', number: '2026-000003', corrects: '2026-000002' },
    ...{ netMinor: 105, taxMinor: 20, grossMinor: 125 },
    lines: [{ ...refund, kind: 'cancellation', ...amounts(105, 20) }],
  });
  expect(textsOf(cancelled, 'TypeCode')[0]).toBe('380');
  expect(textsOf(cancelled, 'GrandTotalAmount')).toEqual(['1.25']);
});

test.each([
  ['reverse_charge', 0, 'AE'],
  ['exempt', 0, 'E'],
  ['domestic', 0, 'Z'],
  ['domestic', 2_100, 'S'],
  ['oss', 20_000, 'S'],
  ['seller_country', 19_000, 'S'],
])('the category of %s at %d is %s, with the reason if there is no tax', async (treatment, rateMilli, category) => {
  const reason = rateMilli === 0 && treatment !== 'domestic' ? 'The customer accounts for the tax.' : '';
  const taxMinor = Math.round((1190 * rateMilli) / (100_000 + rateMilli));
  const sums = { netMinor: 1190 - taxMinor, taxMinor, grossMinor: 1190 };
  const lines = [{ ...whole, ...amounts(sums.netMinor, taxMinor) }];
  const data = await validDataOf({ treatment, rateMilli, ...sums, lines }, { ...texts, reason });
  expect(textsOf(data, 'CategoryCode')).toEqual([category, category]);
  expect(textsOf(data, 'RateApplicablePercent')).toEqual([String(rateMilli / 1000), String(rateMilli / 1000)]);
  expect(textsOf(data, 'ExemptionReason')).toEqual(reason === '' ? [] : [reason]);
});

test.each([
  ['a direct debit', { paid_with: 'direct debit', last_four: '3000' }, 'Direct debit', ['1']],
  ['a method with the mandate of a bank account', { paid_with: 'ideal', last_four: '3000' }, 'Ideal', ['1']],
  ['a method without digits', { paid_with: 'ideal', last_four: '' }, 'Ideal', ['1']],
  ['no method', { paid_with: '', last_four: '' }, '', []],
])('%s has no number of a card', async (_, paid, paidWith, codes) => {
  const data = await validDataOf({ buyer: { ...buyer, ...paid } }, { ...texts, paidWith });
  expect(textsOf(data, 'TypeCode').slice(2, -1)).toEqual(codes);
  expect(data).not.toContain('FinancialCard');
});

test('characters of XML are escaped, and characters that XML does not have are left out', async () => {
  const name = 'Müller & "Söhne" <b>\u0000\u000b\uffff漢';
  const data = await validDataOf({ buyer: { ...buyer, name } });
  expect(oneLine(data)).toContain('<ram:Name>Müller &amp; &quot;Söhne&quot; &lt;b&gt;漢</ram:Name>');
});

test.each([
  ['DE136695976', 'DE', 'DE136695976'],
  ['136 695 976', 'DE', 'DE136695976'],
  ['094019245', 'GR', 'EL094019245'],
  ['40303265045', 'MC', 'FR40303265045'],
])('the number %s of a seller in %s begins with the country: %s', async (tax_number, country, expected) => {
  const data = await validDataOf({ seller: { ...seller, country, tax_number } });
  expect(data).toContain(`<ram:ID schemeID="VA">${expected}</ram:ID>`);
});

test.each([
  ['domestic', 19_000, ''],
  ['reverse_charge', 0, 'Reverse charge'],
])(
  'the number of a German tax office is one of its own kind, with the treatment %s',
  async (treatment, rateMilli, reason) => {
    const taxed = { ...seller, tax_number: '12/345/67890' };
    const untaxed = { taxMinor: 0, netMinor: 1190, lines: [{ ...whole, ...amounts(1190, 0) }] };
    const data = await validDataOf(
      { seller: taxed, treatment, rateMilli, ...(rateMilli === 0 && untaxed) },
      { ...texts, reason },
    );
    expect(data).toContain('<ram:ID schemeID="FC">12/345/67890</ram:ID>');
    expect(data).toContain('<ram:ID schemeID="VA">ATU12345675</ram:ID>');
  },
);

test('the text of the merchant is a note of the document', async () => {
  const data = await validDataOf({ seller: { ...seller, note: 'HRB 12345 <Berlin>' } });
  expect(oneLine(data)).toContain('<ram:IncludedNote><ram:Content>HRB 12345 &lt;Berlin&gt;</ram:Content>');
});

test('an address without its parts has no empty elements', async () => {
  const data = await validDataOf({ buyer: { ...buyer, address_line: '', postal_code: '', city: '' } });
  expect(oneLine(data)).toContain('<ram:PostalTradeAddress><ram:CountryID>AT</ram:CountryID></ram:PostalTradeAddress>');
});

test('amounts have the decimals of the currency', async () => {
  expect(textsOf(await validDataOf({ currency: 'JPY' }), 'GrandTotalAmount')).toEqual(['1190']);
  expect(dataOf({ currency: 'KWD' })).toBeUndefined();
});

test.each<[string, Partial<IssuedInvoice>]>([
  ['a consumer', { buyer: { ...buyer, tax_number: '' } }],
  ['a buyer whose data was deleted', { buyer: null }],
  ['a seller without a tax number', { seller: { ...seller, tax_number: '' } }],
  ['a seller outside the European Union', { seller: { ...seller, country: 'US' } }],
  ['a country without a registration', { treatment: 'not_registered' }],
  ['a place outside of the Union’s tax territory', { treatment: 'outside_scope' }],
])('no data for %s', (_, changes) => {
  expect(dataOf(changes)).toBeUndefined();
});
