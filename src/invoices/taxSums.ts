import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { toMajor } from '../billing/money';
import { findRate, percentOf } from '../billing/tax/rates';
import { type Caller } from '../kit/auth';
import { csvHead, csvLine } from '../kit/csv';
import { Answer } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { unixSeconds } from '../kit/time';
import { rates } from '../tax/chargeTaxes';
import { listSeries, type BegunSeries } from './series';
import { sumTaxes, type TaxPeriod, type TaxSum } from './taxSums.model';
import { type OssQuery, type TaxReport, type TaxReportQuery } from './taxSums.schemas';

/** The tax of a quarter or a year, and the sums for the return of the one stop shop. */

/** By treatment, country, region, rate and currency. */
export async function getTaxReport(
  { merchantId }: Caller,
  query: z.output<typeof TaxReportQuery>,
): Promise<z.output<typeof TaxReport>> {
  const asked = await readPeriod(merchantId, query);
  const period = periodOf(asked);
  const rows = await sumTaxes(merchantId, period);
  const lost = await listSeries(merchantId, period);
  const { year, quarter = 0 } = asked;
  const days = { from: period.from, to: dayBefore(period.end) };
  return { year, quarter, ...days, collection: rows.map(present), lost_numbers: lost.map(presentLost) };
}

const presentLost = ({ series, begunAt, lastKnown, firstLost }: BegunSeries) => ({
  series,
  begun_at: unixSeconds(begunAt),
  last_number: lastKnown ?? '',
  first_lost_number: firstLost,
});

const present = ({ currency, ...row }: TaxSum) => ({
  treatment: row.treatment,
  country: row.country,
  region: row.region ?? '',
  tax_rate: percentOf(row.rateMilli),
  currency,
  corrected_quarter: row.correctedQuarter ?? '',
  documents: row.documents,
  net_amount: toMajor(row.netMinor, currency),
  tax_amount: toMajor(row.taxMinor, currency),
  gross_amount: toMajor(row.grossMinor, currency),
});

interface Asked {
  year: number;
  quarter?: number | undefined;
}

async function readPeriod(merchantId: number, { year, quarter }: z.output<typeof TaxReportQuery>): Promise<Asked> {
  if (year !== undefined) return { year, quarter };
  if (quarter !== undefined)
    throw new AppError('missing_parameter', { errors: { year: 'The year must not be empty.' } });
  const today = await merchantNow(merchantId);
  return { year: today.getUTCFullYear(), quarter: Math.floor(today.getUTCMonth() / 3) + 1 };
}

function periodOf({ year, quarter }: Asked): TaxPeriod {
  if (quarter === undefined) return { from: `${year}-01-01`, end: `${year + 1}-01-01` };
  const firstOf = (month: number) => new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
  return { from: firstOf(3 * quarter - 3), end: firstOf(3 * quarter) };
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

const columns = ['country', 'rate_type', 'rate', 'currency', 'taxable_amount', 'tax_amount', 'corrected_quarter'];

/**
 * The return of the one stop shop for a quarter: sales by country and rate, then corrections of earlier quarters by country
 * and quarter. Amounts are in the currency of the sales.
 */
export async function getOssReturn({ merchantId }: Caller, query: z.output<typeof OssQuery>): Promise<Answer<string>> {
  const period = periodOf(query);
  const rows = (await sumTaxes(merchantId, period)).filter(({ treatment }) => treatment === 'oss');
  const sales = rows.filter(({ correctedQuarter }) => correctedQuarter === null);
  const lines = [
    ...sales.map((row) => lineOf(row, rateTypeOf(row, period), percentOf(row.rateMilli))),
    ...correctionsOf(rows).map((row) => lineOf(row, '', '')),
  ];
  const file = `oss-${query.year}-Q${query.quarter}.csv`;
  return new Answer(csvHead(columns) + lines.map(csvLine).join(''), {
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="${file}"` },
  });
}

function lineOf({ currency, ...row }: TaxSum, rateType: string, rate: number | '') {
  const amounts = [toMajor(row.netMinor, currency), toMajor(row.taxMinor, currency)];
  return [row.country, rateType, rate, currency, ...amounts, row.correctedQuarter ?? ''];
}

/** A rate that is the standard one on the first or the last day of the quarter. */
function rateTypeOf({ country, region, rateMilli }: TaxSum, { from, end }: TaxPeriod): string {
  const place = { country, region: region ?? undefined, kind: 'standard' } as const;
  const days = [Date.parse(from), Date.parse(end) - 1];
  return days.some((atMs) => findRate(rates, { ...place, atMs }) === rateMilli) ? 'STANDARD' : 'REDUCED';
}

/** The return has one sum for each country and corrected quarter, whatever the rates. */
function correctionsOf(rows: readonly TaxSum[]): TaxSum[] {
  const sums = new Map<string, TaxSum>();
  for (const row of rows) {
    if (row.correctedQuarter === null) continue;
    const key = [row.country, row.correctedQuarter, row.currency].join();
    const sum = sums.get(key);
    sums.set(key, sum ? added(sum, row) : row);
  }
  return [...sums.values()];
}

const added = (one: TaxSum, other: TaxSum): TaxSum => ({
  ...one,
  documents: one.documents + other.documents,
  netMinor: one.netMinor + other.netMinor,
  taxMinor: one.taxMinor + other.taxMinor,
  grossMinor: one.grossMinor + other.grossMinor,
});
