/** Checks of tax numbers by form and check digit, offline. Without I/O and Node modules. */

import { taxCountryOf } from './places';

const forms: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^[1-9]\d{8}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-HJ-NP-Z0-9]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^[A-Z0-9+*]{9}B\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{10}01$/,
  SI: /^[1-9]\d{7}$/,
  SK: /^\d{10}$/,
  GB: /^(\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})$/,
  CHE: /^\d{9}(MWST|TVA|IVA)?$/,
  NO: /^\d{9}(MVA)?$/,
  AU: /^\d{11}$/,
  AE: /^\d{15}$/,
  CA: /^\d{9}RT\d{4}$/,
  IS: /^\d{5,6}$/,
  LI: /^\d{5}$/,
  NZ: /^\d{8,9}$/,
  SA: /^3\d{13}3$/,
  SG: /^(\d{8,9}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z]|F000\d{5}[A-Z]|M[A-Z0-9]\d{7}[A-Z0-9])$/,
  ZA: /^4\d{9}$/,
};

const digitsOf = (text: string) => [...text].map(Number);
const sumOf = (digits: readonly number[], weights: readonly number[]) =>
  weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);

/** The check digits of countries with a short, published rule. For other countries, only the form is checked. */
const checks: Readonly<Record<string, (body: string) => boolean>> = {
  AT: (body) => {
    const digits = digitsOf(body.slice(1));
    const doubled = digits.slice(0, 7).map((digit, i) => (i % 2 ? Math.floor(digit / 5) + ((digit * 2) % 10) : digit));
    return (96 - doubled.reduce((sum, digit) => sum + digit, 0)) % 10 === digits[7];
  },
  BE: (body) => 97 - (Number(body.slice(0, 8)) % 97) === Number(body.slice(8)),
  DE: (body) => isMod11Of10(digitsOf(body)),
  DK: (body) => sumOf(digitsOf(body), [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  FI: (body) => (11 - (sumOf(digitsOf(body), [7, 9, 10, 5, 8, 4, 2]) % 11)) % 11 === Number(body[7]),
  FR: (body) => !/^\d{2}/.test(body) || (12 + 3 * (Number(body.slice(2)) % 97)) % 97 === Number(body.slice(0, 2)),
  HR: (body) => isMod11Of10(digitsOf(body)),
  IT: (body) => isLuhn(digitsOf(body)),
  LU: (body) => Number(body.slice(0, 6)) % 89 === Number(body.slice(6)),
  PL: (body) => sumOf(digitsOf(body), [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(body[9]),
  PT: (body) => {
    const rest = 11 - (sumOf(digitsOf(body), [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
    return (rest >= 10 ? 0 : rest) === Number(body[8]);
  },
  SE: (body) => isLuhn(digitsOf(body.slice(0, 10))),
  CHE: (body) => (11 - (sumOf(digitsOf(body), [5, 4, 3, 2, 7, 6, 5, 4]) % 11)) % 11 === Number(body[8]),
  CA: (body) => isLuhn(digitsOf(body.slice(0, 9))),
  NZ: (body) => isInlandRevenueNumber(digitsOf(body.padStart(9, '0'))),
  NO: (body) => (11 - (sumOf(digitsOf(body), [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(body[8]),
};

/** ISO 7064, modulus 11 and 10. */
function isMod11Of10(digits: readonly number[]): boolean {
  const product = digits.slice(0, -1).reduce((rest, digit) => {
    const sum = (rest + digit) % 10;
    return (2 * (sum === 0 ? 10 : sum)) % 11;
  }, 10);
  return (11 - product) % 10 === digits[digits.length - 1];
}

/** New Zealand. If the first weights give 10, the second ones decide. */
function isInlandRevenueNumber(digits: readonly number[]): boolean {
  const digitBy = (weights: readonly number[]) => (11 - (sumOf(digits, weights) % 11)) % 11;
  const first = digitBy([3, 2, 7, 6, 5, 4, 3, 2]);
  return (first === 10 ? digitBy([7, 4, 3, 2, 5, 2, 7, 6]) : first) === digits[8];
}

function isLuhn(digits: readonly number[]): boolean {
  const doubled = [...digits]
    .reverse()
    .map((digit, i) => (i % 2 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit));
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

const prefixes: ReadonlyMap<string, string> = new Map([
  ['GR', 'EL'],
  ['CH', 'CHE'],
]);

/** The prefix of each country's tax numbers. */
export const prefixOf = (country: string) => prefixes.get(country) ?? taxCountryOf(country);

/** Without spaces, points and dashes, in upper case. */
export const plainTaxNumber = (entered: string): string => entered.toUpperCase().replaceAll(/[\s.\-/]/g, '');

/** A plain number with the country's prefix. A number of another country keeps its own prefix. */
export function normalTaxNumber(country: string, entered: string): string {
  const plain = plainTaxNumber(entered);
  const prefix = prefixOf(country);
  return plain.startsWith(prefix) || countryOfTaxNumber(plain) !== undefined ? plain : `${prefix}${plain}`;
}

/** The country of a normalised number. Undefined if it is not valid. */
export function countryOfTaxNumber(normal: string): string | undefined {
  return ['GR', 'CH', normal.slice(0, 2)].find((country) => isTaxNumber(country, normal));
}

/** Whether the form of a country's tax numbers is known. */
export const hasKnownForm = (country: string): boolean => prefixOf(country) in forms;

/**
 * Whether a normalised number has the form of its country and the right check digits. False for countries whose form is
 * not known, because a reverse charge needs a number that can be checked.
 */
export function isTaxNumber(country: string, normal: string): boolean {
  const prefix = prefixOf(country);
  const body = normal.slice(prefix.length);
  if (!normal.startsWith(prefix) || forms[prefix]?.test(body) !== true) return false;
  return checks[prefix]?.(body) ?? true;
}
