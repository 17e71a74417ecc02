import { z } from 'zod';

/** The dashboards of deploy/grafana, as far as their queries and titles are concerned. */

const Target = z.object({ expr: z.string().min(1), legendFormat: z.string() });

const Panel = z.object({
  title: z.string(),
  description: z.string(),
  type: z.literal('timeseries'),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  fieldConfig: z.object({ defaults: z.object({ unit: z.enum(['reqps', 's', 'short', 'bytes', 'percentunit']) }) }),
  targets: z.array(Target).min(1),
});

const Dashboard = z.object({ title: z.string(), panels: z.array(Panel).min(1) });

export type Panel = z.output<typeof Panel>;
export type Unit = Panel['fieldConfig']['defaults']['unit'];

/** The panels in reading order. Throws if the file uses what the pictures do not show. */
export function readDashboard(text: string): z.output<typeof Dashboard> {
  const { title, panels } = Dashboard.parse(JSON.parse(text));
  const order = ({ gridPos: { x, y } }: Panel) => y * 24 + x;
  return { title, panels: panels.toSorted((a, b) => order(a) - order(b)) };
}

/** The name of a series as Grafana writes it: `{{status}}` is the label of the series. */
export function nameOf(legendFormat: string, labels: Record<string, string>): string {
  return legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_all, label: string) => labels[label] ?? '');
}

/** The number by which values are multiplied, so that the axis has numbers of everyday size, and the name of the unit. */
export function shownUnit(unit: Unit, highest: number): { factor: number; name: string } {
  if (unit === 's') return highest < 10 ? { factor: 1000, name: 'ms' } : { factor: 1, name: 's' };
  if (unit === 'bytes') return { factor: 1 / 2 ** 20, name: 'MiB' };
  if (unit === 'percentunit') return { factor: 100, name: '%' };
  return { factor: 1, name: unit === 'reqps' ? 'requests/s' : '' };
}
