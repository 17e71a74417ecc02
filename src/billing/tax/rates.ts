import { packagedRates } from './packagedRates';

/**
 * Rates of value added tax and of goods and services tax, as data with the day from which each applies. Without I/O and
 * Node modules. docs/tax.md says how the table is updated and replaced.
 */

/** The kind of the product: a service, an electronic book, or an electronic newspaper or periodical. */
export const taxKinds = ['standard', 'ebook', 'press'] as const;
export type TaxKind = (typeof taxKinds)[number];

export interface RateRow {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** ISO 3166-2. Absent: the whole country. */
  region?: string | undefined;
  kind: TaxKind;
  /** The first day on which the rate applies, in UTC. */
  from: string;
  /** Thousandths of a percent: 19 % is 19000. */
  milliPercent: number;
}

export type RateTable = readonly RateRow[];

/** `DE standard 2007-01-01 19`, or with a region `PT PT-20 standard 2000-01-01 16`. Throws for any other line. */
export function parseRates(text: string): RateTable {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .map(parseLine);
}

const linePattern =
  /^([A-Z]{2})(?: ([A-Z]{2}-[A-Z0-9]{1,3}))? (standard|ebook|press) (\d{4}-\d\d-\d\d) (\d{1,2}(?:\.\d{1,3})?)$/;

function parseLine(line: string): RateRow {
  const [, country = '', region, kind, from = '', percent = ''] = linePattern.exec(line) ?? [];
  if (Number.isNaN(Date.parse(from))) throw new Error(`Not a tax rate: ${line}`);
  const known = taxKinds.find((each) => each === kind) ?? 'standard';
  return { country, ...(region !== undefined && { region }), kind: known, from, milliPercent: toMilli(percent) };
}

const toMilli = (percent: string) => {
  const [whole = '0', decimals = ''] = percent.split('.');
  return Number(whole) * 1000 + Number(decimals.padEnd(3, '0'));
};

/** The rates that come with the service. */
export const packaged: RateTable = parseRates(packagedRates);

export interface RateQuestion {
  country: string;
  region?: string | undefined;
  kind: TaxKind;
  atMs: number;
}

/**
 * The rate on a day. The rate of the region comes before that of the country, and the rate of the kind before the
 * standard rate. A kind without its own rate has the standard rate. Undefined if the table has no rate for the place.
 */
export function findRate(table: RateTable, { country, region, kind, atMs }: RateQuestion): number | undefined {
  for (const place of [region, undefined])
    for (const wanted of [kind, 'standard']) {
      const found = latest(
        table.filter((row) => row.country === country && row.region === place && row.kind === wanted),
        atMs,
      );
      if (found) return found.milliPercent;
    }
  return undefined;
}

function latest(rows: RateTable, atMs: number): RateRow | undefined {
  const begun = rows.filter(({ from }) => Date.parse(from) <= atMs);
  return begun.reduce<RateRow | undefined>((best, row) => (best && best.from > row.from ? best : row), undefined);
}

/** "19" or "5.5", for people and for responses. */
export const percentOf = (milliPercent: number) => milliPercent / 1000;
