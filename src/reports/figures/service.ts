import {
  explainSelection,
  foldDeltas,
  intervals,
  selectFigures,
  type FigureName,
  type FigureQuery,
  type FigureRow,
  type Interval,
} from './model';

export { intervals, type FigureName, type FigureQuery, type FigureRow, type Interval };

/** What the reports are read from: sums by day, of which none is ever behind. */
export function readFigures(wanted: FigureQuery): Promise<FigureRow[]> {
  return selectFigures(wanted);
}

/** The plan by which the sums are read: for the bench. */
export function explainFigures(wanted: FigureQuery): Promise<string> {
  return explainSelection(wanted);
}

const perRound = 20_000;

/** Sums up what has come since the last time, so that reports go on reading little. */
export async function foldFigures(): Promise<void> {
  while ((await foldDeltas(perRound)) === perRound);
}
