import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Buyer, type InvoiceLine } from './facts.model';
import { type IssuedInvoice } from './lists.model';
import { type Invoice } from './invoices.schemas';

/** Minor units as an amount in the major unit of the document’s currency. */
type Major = (minor: number) => number;

export const presentEntry = (row: IssuedInvoice, major: Major) => ({
  id: row.id,
  number: row.number,
  kind: row.kind,
  is_test: row.isTest,
  issued_at: unixSeconds(row.issuedAt),
  corrects: row.corrects ?? '',
  trx_token: row.trxToken,
  consumer_id: row.accountId,
  consumer_email: row.buyer?.email ?? '',
  currency_iso: row.currency,
  net_amount: major(row.netMinor),
  tax_amount: major(row.taxMinor),
  gross_amount: major(row.grossMinor),
  tax_rate: row.rateMilli / 1000,
  tax_country: row.taxCountry,
  tax_treatment: row.treatment,
  buyer_tax_number: row.buyer?.tax_number ?? '',
  tax_number_confirmed_at: row.confirmedAt && unixSeconds(row.confirmedAt),
  tax_number_consultation: row.consultation,
  tax_number_entry: row.buyer?.tax_number_entry ?? '',
});

export function presentInvoice(row: IssuedInvoice, major: Major): z.output<typeof Invoice> {
  return {
    ...presentEntry(row, major),
    seller: row.seller,
    buyer: row.buyer && presentBuyer(row.buyer),
    lines: row.lines.map((line) => presentLine(line, major)),
  };
}

function presentBuyer(buyer: Buyer) {
  const { name, email, address_line, postal_code, city, region, country, tax_number, paid_with, last_four } = buyer;
  return { name, email, address_line, postal_code, city, region, country, tax_number, paid_with, last_four };
}

const presentLine = ({ kind, text, detail, ...line }: InvoiceLine, major: Major) => ({
  kind,
  text,
  detail,
  starts_at: line.starts_at ?? 0,
  ends_at: line.ends_at ?? 0,
  net_amount: major(line.net_minor),
  tax_amount: major(line.tax_minor),
  gross_amount: major(line.gross_minor),
});
