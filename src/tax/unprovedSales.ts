import { type z } from 'zod';
import { toMajor } from '../billing/money';
import { type Caller } from '../kit/auth';
import { byId, cursorRange, nextCursor } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { countUnproved, listUnproved, type UnprovedSale } from './unprovedSales.model';
import { type UnprovedSalesQuery } from './unprovedSales.schemas';

/** The sales whose country is not proved by two matching pieces of evidence, newest first. A tax authority can doubt their tax. */
export async function listUnprovedSales({ merchantId }: Caller, input: z.output<typeof UnprovedSalesQuery>) {
  const { page, limit, offset, after } = cursorRange(input);
  const rows = await listUnproved(merchantId, { limit, offset, before: after?.id });
  const total = await countUnproved(merchantId);
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: rows.map(present) };
}

const present = ({ currency, evidence, ...row }: UnprovedSale) => ({
  trx_token: row.trxToken,
  paid_at: unixSeconds(row.paidAt),
  consumer_id: row.accountId,
  treatment: row.treatment,
  country: row.country,
  region: row.region ?? '',
  tax_amount: toMajor(row.taxMinor, currency),
  gross_amount: toMajor(row.grossMinor, currency),
  currency_iso: currency,
  evidence: {
    billing: evidence.billing ?? '',
    card: evidence.card ?? '',
    network: evidence.network ?? '',
    tax_number: evidence.number ?? '',
    register: evidence.register ?? '',
    confirmed_at: evidence.confirmedAt === undefined ? null : unixSeconds(new Date(evidence.confirmedAt)),
    consultation: evidence.consultation ?? '',
  },
});
