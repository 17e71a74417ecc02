/**
 * Amounts are integers in the currency's minor unit inside, and JSON numbers in the major unit outside. Without I/O and
 * Node modules, because workflows import it.
 */

/**
 * The currencies of ISO 4217 (January 2026) by number of decimals. Metals and test codes have no minor unit, so they
 * cannot be prices.
 */
const codeLists: readonly (readonly [exponent: number, codes: string])[] = [
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

/** The codes of the currencies with each number of decimals. */
export const currenciesByExponent = codeLists.map(([exponent, codes]) => ({
  exponent,
  codes: codes.split(/\s+/),
}));

/** Code to number of decimals. */
export const currencyExponents: ReadonlyMap<string, number> = new Map(
  currenciesByExponent.flatMap(({ exponent, codes }) => codes.map((code) => [code, exponent] as const)),
);

/** Fifteen digits. Up to this limit, a JSON number and the integer of minor units always represent the same amount. */
export const maxAmountMinor = 999_999_999_999_999;

/** Codes are upper case. */
export function isCurrency(code: string): boolean {
  return currencyExponents.has(code);
}

/** The number of decimals of a currency: 2 for EUR. Throws a RangeError for an unknown currency. */
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

/** 9.99 EUR is 999. Never rounds: throws a RangeError unless `isAmount`. */
export function toMinor(major: number, currency: string): number {
  if (!isAmount(major, currency)) throw new RangeError(`Not an amount in ${currency}: ${major}`);
  return nearestMinor(major, currency);
}

/** The largest amount that is not above this number of 0 or more: 9.999 EUR is 999. */
export function floorMinor(major: number, currency: string): number {
  const minor = nearestMinor(major, currency);
  return toMajor(minor, currency) > major ? minor - 1 : minor;
}

/** The smallest amount that is not below this number of 0 or more: 9.991 EUR is 1000. */
export function ceilMinor(major: number, currency: string): number {
  const minor = nearestMinor(major, currency);
  return toMajor(minor, currency) < major ? minor + 1 : minor;
}

/** 999 is 9.99 EUR: the JSON number of fees and rows. */
export function toMajor(minor: number, currency: string): number {
  return minor / 10 ** currencyExponent(currency);
}

/**
 * The text of notifications, "9.99". It has at least two decimals even if the currency has fewer (1000 yen is
 * "1000.00"), because clients expect two, and all decimals if the currency has more.
 */
export function amountText(minor: number, currency: string): string {
  return toMajor(minor, currency).toFixed(Math.max(2, currencyExponent(currency)));
}

/**
 * The text for people, "€9.99" or "¥1,000". The number of decimals is that of ISO. In Intl it differs for some
 * currencies.
 */
export function formatAmount(minor: number, currency: string, locale = 'en-US'): string {
  return formatOf(currency, locale).format(toMajor(minor, currency));
}

// Created once for each currency and locale, because creating a format takes as long as formatting twenty amounts.
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string, locale: string): Intl.NumberFormat {
  const key = `${currency} ${locale}`;
  const known = formats.get(key);
  if (known) return known;
  const digits = currencyExponent(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  formats.set(key, format);
  return format;
}

/** Uses the absolute value, so that a negative number never equals its amount, and minus zero becomes zero. */
function nearestMinor(major: number, currency: string): number {
  return Math.round(Math.abs(major) * 10 ** currencyExponent(currency));
}

/** The part of the balance that a charge settled. Undefined if the charge did not change the balance. */
export function settledPart(balanceMinor: number) {
  if (balanceMinor === 0) return undefined;
  const kind = balanceMinor > 0 ? ('credit' as const) : ('debt' as const);
  return { kind, amountMinor: Math.abs(balanceMinor) };
}
