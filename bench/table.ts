import { cpus, loadavg } from 'node:os';

export interface Line {
  what: string;
  unit: string;
  product: number;
  bare?: number;
  /** Absent: the ratio of the two values. Otherwise the median of the ratios of all rounds. */
  ratio?: number;
  /** The target: for the ratio if there is something to compare with, otherwise for the product's own value. */
  aim?: { atMost: number } | { atLeast: number };
}

export function heading(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `\n${cpus().length} CPUs shared by everything, Node ${process.versions.node}, load ${load}: read the ratios.\n`;
}

export function renderTable(lines: readonly Line[]): string {
  const rows = [['', '', 'product', 'bare', 'ratio', 'aim', ''], ...lines.map(cells)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((row) => row.join('  ').trimEnd())
    .join('\n');
}

function cells({ what, unit, product, bare, aim, ...given }: Line): string[] {
  const ratio = given.ratio ?? (bare === undefined ? undefined : product / bare);
  const judged = ratio ?? product;
  const isReached = aim === undefined || ('atMost' in aim ? judged <= aim.atMost : judged >= aim.atLeast);
  return [
    what,
    unit,
    readable(product),
    bare === undefined ? '' : readable(bare),
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    aim === undefined ? '' : aimText(aim, ratio === undefined ? '' : 'x'),
    aim === undefined ? '' : isReached ? 'reached' : 'missed',
  ];
}

function aimText(aim: NonNullable<Line['aim']>, suffix: string): string {
  return 'atMost' in aim ? `<= ${aim.atMost}${suffix}` : `>= ${aim.atLeast}${suffix}`;
}

function readable(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 50);
