import { type z } from 'zod';
import { toMajor } from '../billing/money';
import { euro, lastDayOf, quarterOf, toEuroMinor } from '../billing/tax/euro';
import { findRate, percentOf } from '../billing/tax/rates';
import { type Caller } from '../kit/auth';
import { csvHead, csvLine } from '../kit/csv';
import { Answer } from '../kit/endpoint';
import { rates } from '../tax/taxCases';
import { findEuroRates, type RateAnswer, type RateProblem } from '../tax/euroRates';
import { dayBefore, periodOf } from './taxPeriods';
import { sumTaxes, type TaxPeriod, type TaxSum } from './taxSums.model';
import { type OssQuery } from './taxSums.schemas';

/** The sums for the return of the one stop shop, in euro. */

const columns = [
  ...['country', 'rate_type', 'rate', 'currency', 'taxable_amount', 'tax_amount', 'corrected_quarter'],
  ...['exchange_rates', 'warning'],
];

/** A line of the return. The amounts are in another currency than the euro only if there is no rate. */
interface OssLine {
  country: string;
  rateType: string;
  rate: number | '';
  correctedQuarter: string;
  currency: string;
  netMinor: number;
  taxMinor: number;
  exchangeRates: string[];
  warning: string;
}

/**
 * The return of the one stop shop for a quarter: sales by country and rate, then corrections of earlier quarters by country
 * and quarter. Amounts are in euro, with the rates of the quarter in which the invoices were issued.
 */
export async function getOssReturn({ merchantId }: Caller, query: z.output<typeof OssQuery>): Promise<Answer<string>> {
  const period = periodOf(query);
  const rows = (await sumTaxes(merchantId, period)).filter(isOss);
  const answers = await findRatesOf(rows, period);
  const lineOf = (row: TaxSum) => inEuro(row, { period, answers });
  const sales = rows.filter(({ correctedQuarter }) => correctedQuarter === null).map(lineOf);
  // The return has one sum for each country and corrected quarter, whatever the rates of the tax.
  const corrections = rows.filter(({ correctedQuarter }) => correctedQuarter !== null).map(lineOf);
  const lines = [...sumLines(sales), ...sumLines(corrections.map((line) => ({ ...line, rateType: '', rate: '' })))];
  const file = `oss-${query.year}-Q${query.quarter}.csv`;
  return new Answer(csvHead(columns) + lines.map(present).map(csvLine).join(''), {
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="${file}"` },
  });
}

/** The exchange rates of the sales of a quarter in the one stop shop, by currency and quarter. None if all are in euro. */
export const findRatesOf = (rows: readonly TaxSum[], period: TaxPeriod): Promise<RateAnswer[]> => {
  const questions = rows.filter(isOss).map((row) => ({ currency: row.currency, day: rateDay(row, period) }));
  const others = questions.filter(({ currency }) => currency !== euro);
  const byKey = new Map(others.map((one) => [`${one.currency} ${one.day}`, one]));
  return findEuroRates([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one));
};

const isOss = ({ treatment }: TaxSum) => treatment === 'oss';

/** A correction has the rate of the corrected quarter, so that a sale and its refund cancel each other. */
const rateDay = ({ correctedQuarter }: TaxSum, { end }: TaxPeriod) =>
  correctedQuarter === null ? dayBefore(end) : lastDayOf(correctedQuarter);

interface Rates {
  period: TaxPeriod;
  answers: readonly RateAnswer[];
}

function inEuro(row: TaxSum, { period, answers }: Rates): OssLine {
  const { country, currency, netMinor, taxMinor } = row;
  const place = { country, rateType: rateTypeOf(row, period), rate: percentOf(row.rateMilli) };
  const line = { ...place, correctedQuarter: row.correctedQuarter ?? '', exchangeRates: [], warning: '' };
  if (currency === euro) return { ...line, currency, netMinor, taxMinor };
  const day = rateDay(row, period);
  const answer = answers.find((one) => one.currency === currency && one.day === day);
  if (!answer || 'problem' in answer)
    return { ...line, currency, netMinor, taxMinor, warning: warningOf(answer?.problem ?? 'not_published', row, day) };
  return {
    ...line,
    currency: euro,
    netMinor: toEuroMinor(netMinor, currency, answer.rate),
    taxMinor: toEuroMinor(taxMinor, currency, answer.rate),
    exchangeRates: [`${currency} ${answer.rate} (${answer.publishedOn})`],
  };
}

function warningOf(problem: RateProblem, { currency }: TaxSum, day: string): string {
  const reasons: Record<RateProblem, string> = {
    period_not_ended: `${quarterOf(day)} has not ended`,
    not_published: `the European Central Bank has published no rate for ${day}`,
    no_answer: 'the European Central Bank did not answer',
    not_configured: 'ECB_RATES_URL is not set',
  };
  return `Not in euro: there is no rate of ${currency}, because ${reasons[problem]}`;
}

/** A rate that is the standard one on the first or the last day of the quarter. */
function rateTypeOf({ country, region, rateMilli }: TaxSum, { from, end }: TaxPeriod): string {
  const place = { country, region: region ?? undefined, kind: 'standard' } as const;
  const days = [Date.parse(from), Date.parse(end) - 1];
  return days.some((atMs) => findRate(rates, { ...place, atMs }) === rateMilli) ? 'STANDARD' : 'REDUCED';
}

/** The sums of lines with the same place, rate, quarter and currency. */
function sumLines(lines: readonly OssLine[]): OssLine[] {
  const sums = new Map<string, OssLine>();
  for (const line of lines) {
    const key = [line.country, line.rateType, line.rate, line.correctedQuarter, line.currency].join();
    const sum = sums.get(key);
    sums.set(key, sum ? added(sum, line) : line);
  }
  return [...sums.values()];
}

const added = (sum: OssLine, line: OssLine): OssLine => ({
  ...sum,
  netMinor: sum.netMinor + line.netMinor,
  taxMinor: sum.taxMinor + line.taxMinor,
  exchangeRates: [...new Set([...sum.exchangeRates, ...line.exchangeRates])].sort(),
});

const present = ({ country, rateType, rate, currency, ...line }: OssLine) => [
  ...[country, rateType, rate, currency, toMajor(line.netMinor, currency), toMajor(line.taxMinor, currency)],
  ...[line.correctedQuarter, line.exchangeRates.join('; '), line.warning],
];
