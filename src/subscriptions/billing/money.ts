/**
 * Money (decisions 4): an integer in the currency's minor unit inside, a JSON number in the major unit outside.
 * No I/O and no Node module, so that workflows may use it.
 */

/** ISO 4217 of January 2026 by number of decimals; metals and test codes have no minor unit, so nothing is sold in them. */
const codesByExponent: readonly (readonly [exponent: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
     COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
     JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
     NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
     THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Code to number of decimals. */
export const currencyExponents: ReadonlyMap<string, number> = new Map(
  codesByExponent.flatMap(([exponent, codes]) => codes.split(/\s+/).map((code) => [code, exponent] as const)),
);

/** Fifteen digits: the most for which a JSON number and the integer of minor units always name the same amount. */
export const maxAmountMinor = 999_999_999_999_999;

/** Codes are upper case. */
export function isCurrency(code: string): boolean {
  return currencyExponents.has(code);
}

/** How many decimals the currency has: 2 for EUR. Throws a RangeError for what is no currency. */
export function currencyExponent(code: string): number {
  const exponent = currencyExponents.get(code);
  if (exponent === undefined) throw new RangeError(`Not an ISO 4217 currency: ${code}`);
  return exponent;
}

/** Zero or more, at most `maxAmountMinor`, and with no more decimals than the currency has. */
export function isAmount(major: number, currency: string): boolean {
  const minor = nearestMinor(major, currency);
  return minor <= maxAmountMinor && toMajor(minor, currency) === major;
}

/** 9.99 EUR is 999. Never rounds: throws a RangeError for what is not an amount (`isAmount`). */
export function toMinor(major: number, currency: string): number {
  if (!isAmount(major, currency)) throw new RangeError(`Not an amount in ${currency}: ${major}`);
  return nearestMinor(major, currency);
}

/** 999 is 9.99 EUR: the JSON number of fees and rows. */
export function toMajor(minor: number, currency: string): number {
  return minor / 10 ** currencyExponent(currency);
}

/**
 * The text of notifications, "9.99": at least two decimals even where the currency has fewer (1000 yen is "1000.00"),
 * because clients read "strings with two decimals" (wire 0.12), and all of the currency's own where it has more.
 */
export function amountText(minor: number, currency: string): string {
  return toMajor(minor, currency).toFixed(Math.max(2, currencyExponent(currency)));
}

/** The text for people, "€9.99" or "¥1,000". The decimals are ISO's: those of Intl follow custom and differ for some. */
export function formatAmount(minor: number, currency: string): string {
  return formatOf(currency).format(toMajor(minor, currency));
}

// Made once a currency: to make one takes as long as to format twenty amounts.
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const digits = currencyExponent(currency);
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(currency, format);
  return format;
}

/** Of the absolute value, so that a negative number never equals its amount, and minus zero becomes zero. */
function nearestMinor(major: number, currency: string): number {
  return Math.round(Math.abs(major) * 10 ** currencyExponent(currency));
}
