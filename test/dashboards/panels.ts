import { nameOf, type Panel } from './dashboard';
import { type FoundSeries, type Prometheus, type Range } from './prometheus';

/** A panel with the answers of Prometheus to its queries. */
export interface FilledPanel {
  panel: Panel;
  /** The points in time, in Unix seconds. */
  times: number[];
  series: { name: string; values: Map<number, number> }[];
  /** The queries that have no number at all. */
  empty: string[];
}

export async function fillPanels(
  panels: readonly Panel[],
  prometheus: Prometheus,
  range: Range,
): Promise<FilledPanel[]> {
  const count = Math.floor((range.end - range.start) / range.step) + 1;
  const times = Array.from({ length: count }, (_none, index) => range.start + index * range.step);
  return Promise.all(panels.map((panel) => fillPanel(panel, prometheus, range, times)));
}

async function fillPanel(panel: Panel, prometheus: Prometheus, range: Range, times: number[]): Promise<FilledPanel> {
  const found = panel.targets.map(async ({ expr, legendFormat }) => ({
    expr,
    series: (await prometheus.query(expr, range))
      .filter(hasValues)
      .map(({ labels, values }) => ({ name: nameOf(legendFormat, labels), values })),
  }));
  const answers = await Promise.all(found);
  return {
    panel,
    times,
    series: answers.flatMap(({ series }) => series),
    empty: answers.filter(({ series }) => series.length === 0).map(({ expr }) => expr),
  };
}

const hasValues = ({ values }: FoundSeries) => values.size > 0;

/** The lines of an error message about the queries without numbers. Empty if each query has some. */
export function describeEmpty(filled: readonly FilledPanel[]): string[] {
  return filled.flatMap(({ panel, empty }) => empty.map((expr) => `${panel.title} has no data: ${expr}`));
}
