import {
  explainSelection,
  foldDeltas,
  intervals,
  selectFigures,
  type FigureName,
  type FigureQuery,
  type FigureRow,
  type Interval,
} from './figures.model';

export { intervals, type FigureName, type FigureQuery, type FigureRow, type Interval };

/** The sums by day from which reports are read. They are always up to date. */
export function readFigures(wanted: FigureQuery): Promise<FigureRow[]> {
  return selectFigures(wanted);
}

/** The query plan of the sums, for the benchmark. */
export function explainFigures(wanted: FigureQuery): Promise<string> {
  return explainSelection(wanted);
}

const perRound = 20_000;

/** Adds new deltas to the daily sums, so that reports read few rows. */
export async function foldFigures(): Promise<void> {
  while ((await foldDeltas(perRound)) === perRound);
}
