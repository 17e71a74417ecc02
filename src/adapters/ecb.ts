import { config } from '../config';
import { readCsv } from '../kit/csv';
import { logger } from './logger';

/** The reference rates of the European Central Bank (its data API, the series `EXR`). */

const answerWithinMs = 5_000;
const ratePattern = /^\d{1,9}(?:\.\d{1,10})?$/;
/** The bank closes for fewer days in a row. */
const windowDays = 14;

/** The first rate of a currency on a day or after it. */
export interface PublishedRate {
  /** `YYYY-MM-DD`. */
  publishedOn: string;
  /** Units of the currency for one euro, as the bank writes it. */
  rate: string;
}

/** The rates by currency. The outcome is `not_configured` without ECB_RATES_URL, and `no_answer` if the bank does not answer. */
export type RatesResult =
  { outcome: 'answered'; rates: ReadonlyMap<string, PublishedRate> } | { outcome: 'no_answer' | 'not_configured' };

/** The rates of all currencies for a day, or for the next day on which the bank has published one. */
export async function fetchEuroRates(day: string): Promise<RatesResult> {
  if (config.ECB_RATES_URL === undefined) return { outcome: 'not_configured' };
  const last = new Date(Date.parse(day) + windowDays * 86_400_000).toISOString().slice(0, 10);
  const query = new URLSearchParams({ startPeriod: day, endPeriod: last, detail: 'dataonly', format: 'csvdata' });
  // No currency between the dots means every currency.
  const url = `${config.ECB_RATES_URL.replace(/\/$/, '')}/data/EXR/D..EUR.SP00.A?${query.toString()}`;
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerWithinMs) });
    // The bank has no rate in the period.
    if (answer.status === 404) return { outcome: 'answered', rates: new Map() };
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return { outcome: 'answered', rates: readRates(await answer.text()) };
  } catch (error) {
    logger.warn({ day, reason: (error as Error).message }, 'the European Central Bank gave no exchange rates');
    return { outcome: 'no_answer' };
  }
}

/** A day without a publication can have a row without a number. */
function readRates(text: string): Map<string, PublishedRate> {
  const read = readCsv(text);
  const [head, ...lines] = 'rows' in read ? read.rows : [];
  const [currencyAt = -1, dayAt = -1, rateAt = -1] = ['CURRENCY', 'TIME_PERIOD', 'OBS_VALUE'].map((name) =>
    head?.cells.indexOf(name),
  );
  if (Math.min(currencyAt, dayAt, rateAt) < 0) throw new Error('the answer has no rates');
  const rates = new Map<string, PublishedRate>();
  for (const { cells } of lines) {
    const [currency = '', publishedOn = '', rate = ''] = [cells[currencyAt], cells[dayAt], cells[rateAt]];
    const known = rates.get(currency);
    if (ratePattern.test(rate) && Number(rate) > 0 && (!known || publishedOn < known.publishedOn))
      rates.set(currency, { publishedOn, rate });
  }
  return rates;
}
