import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { asReport } from '../adapters/postgres/reports';
import { toMajor } from '../billing/money';
import { quarterOf } from '../billing/tax/euro';
import { percentOf } from '../billing/tax/rates';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { unixSeconds } from '../kit/time';
import { type RateAnswer } from '../tax/euroRates';
import { findRatesOf } from './ossReturns';
import { listSeries, type BegunSeries } from './series';
import { type AskedPeriod, dayBefore, periodOf } from './taxPeriods';
import { sumTaxes, type TaxSum } from './taxSums.model';
import { type TaxReport, type TaxReportQuery } from './taxSums.schemas';

/** The tax of a quarter or a year. */

/** By treatment, country, region, rate and currency. A quarter has the exchange rates of its return of the one stop shop. */
export async function getTaxReport(
  { merchantId }: Caller,
  query: z.output<typeof TaxReportQuery>,
): Promise<z.output<typeof TaxReport>> {
  const asked = await readPeriod(merchantId, query);
  const period = periodOf(asked);
  const { rows, ...time } = await asReport(async () => ({ rows: await sumTaxes(merchantId, period) }));
  const lost = await listSeries(merchantId, period);
  const { year, quarter = 0 } = asked;
  const exchangeRates = quarter === 0 ? [] : await findRatesOf(rows, period);
  return {
    ...{ year, quarter, from: period.from, to: dayBefore(period.end), ...time, collection: rows.map(present) },
    exchange_rates: exchangeRates.map(presentRate),
    lost_numbers: lost.map(presentLost),
  };
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

function presentRate(answer: RateAnswer) {
  const { currency, day } = answer;
  const asked = { currency, quarter: quarterOf(day) };
  if ('problem' in answer) return { ...asked, rate: null, published_on: '', problem: answer.problem };
  return { ...asked, rate: Number(answer.rate), published_on: answer.publishedOn, problem: '' as const };
}

async function readPeriod(
  merchantId: number,
  { year, quarter }: z.output<typeof TaxReportQuery>,
): Promise<AskedPeriod> {
  if (year !== undefined) return { year, quarter };
  if (quarter !== undefined)
    throw new AppError('missing_parameter', { errors: { year: 'The year must not be empty.' } });
  const today = await merchantNow(merchantId);
  return { year: today.getUTCFullYear(), quarter: Math.floor(today.getUTCMonth() / 3) + 1 };
}
