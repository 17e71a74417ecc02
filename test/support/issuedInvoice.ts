import { type IssuedInvoice } from '../../src/invoices/lists.model';

/** An invoice of a German seller to an Austrian business. Tests that only render documents copy it, and never change it. */
export const issuedInvoice = {
  id: 1,
  kind: 'invoice',
  number: '2026-000001',
  isTest: false,
  // The first of January in Berlin.
  issuedAt: new Date('2025-12-31T23:00:00Z'),
  timeZone: 'Europe/Berlin',
  corrects: null,
  trxToken: 'trx',
  accountId: 2,
  currency: 'EUR',
  netMinor: 1000,
  taxMinor: 190,
  grossMinor: 1190,
  rateMilli: 19_000,
  confirmedAt: null,
  consultation: '',
  taxCountry: 'DE',
  treatment: 'domestic',
  seller: {
    name: 'News Ltd',
    address_line: 'Main St 1',
    postal_code: '10115',
    city: 'Berlin',
    country: 'DE',
    tax_number: 'DE136695976',
    note: '',
  },
  lines: [
    {
      ...{ kind: 'item', text: 'Cup final', detail: '', starts_at: 1_767_222_000, ends_at: 1_769_900_400 },
      ...{ net_minor: 1000, tax_minor: 190, gross_minor: 1190 },
    },
  ],
  buyer: {
    name: 'Wien Medien GmbH',
    email: 'buchhaltung@wien.example',
    address_line: 'Ring 1',
    postal_code: '1010',
    city: 'Wien',
    region: '',
    country: 'AT',
    tax_number: 'ATU12345675',
    tax_number_entry: '',
    language: 'de',
    paid_with: 'visa',
    last_four: '4242',
  },
} satisfies IssuedInvoice;
