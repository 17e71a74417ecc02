import { currencyExponent } from '../money';

/**
 * Amounts in euro for the return of the one stop shop, which is made out in euro (article 369h of Directive 2006/112/EC). The
 * rate is that of the European Central Bank for the last day of the quarter, or for the next day on which it publishes one.
 * Without I/O and Node modules.
 */

export const euro = 'EUR';

/**
 * Minor units of a currency as euro cents: amount / rate, half away from zero. `rate`: the units of the currency for one euro,
 * as the bank writes them, "1.0705".
 */
export function toEuroMinor(amountMinor: number, currency: string, rate: string): number {
  const [whole = '', decimals = ''] = rate.split('.');
  const numerator = BigInt(Math.abs(amountMinor)) * 10n ** BigInt(currencyExponent(euro) + decimals.length);
  const denominator = BigInt(whole + decimals) * 10n ** BigInt(currencyExponent(currency));
  const cents = Number((2n * numerator + denominator) / (2n * denominator));
  return amountMinor < 0 ? 0 - cents : cents;
}

const quarterPattern = /^(\d{4})-Q([1-4])$/;

/** The last day of a quarter: `2024-06-30` for `2024-Q2`. Throws a RangeError for any other text. */
export function lastDayOf(quarter: string): string {
  const [, year, number] = quarterPattern.exec(quarter) ?? [];
  if (year === undefined) throw new RangeError(`Not a quarter: ${quarter}`);
  return new Date(Date.UTC(Number(year), 3 * Number(number), 0)).toISOString().slice(0, 10);
}

/** The quarter of a day, `YYYY-MM-DD`. */
export function quarterOf(day: string): string {
  return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}
