import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { csvHead, csvLine, type CsvValue } from '../kit/csv';
import { Answer } from '../kit/endpoint';
import { csvAnswer } from '../reports/rows';
import { getAudience, getFunnel, listItemEvents } from './analytics';
import { type AnalyticsFilePath, eventTypes, type RangeQuery } from './analytics.schemas';

/** The figures about visitors as CSV files. */

export type AnalyticsFileName = z.output<typeof AnalyticsFilePath>['file'];
type Input = z.output<typeof RangeQuery>;

interface Table {
  columns: readonly string[];
  rows: readonly (readonly CsvValue[])[];
}

const tables: Record<AnalyticsFileName, (caller: Caller, input: Input) => Promise<Table>> = {
  funnel: funnelTable,
  audience: audienceTable,
  'item-events': itemTable,
};

export const isAnalyticsFile = (name: string): name is AnalyticsFileName => Object.hasOwn(tables, name);

/** The files are short: a line for each country or item. */
export async function exportAnalytics(caller: Caller, file: AnalyticsFileName, input: Input): Promise<Answer<string>> {
  const { columns, rows } = await tables[file](caller, input);
  return new Answer(csvHead(columns) + rows.map(csvLine).join(''), csvAnswer(file));
}

const funnelColumns = ['from', 'to', 'seen', 'registered', 'checkout', 'paid', 'registered_rate', 'paid_rate'] as const;

async function funnelTable(caller: Caller, input: Input): Promise<Table> {
  const funnel = await getFunnel(caller, input);
  return { columns: funnelColumns, rows: [funnelColumns.map((name) => funnel[name])] };
}

async function audienceTable(caller: Caller, input: Input): Promise<Table> {
  const { countries, devices } = await getAudience(caller, input);
  const rows = [
    ...countries.map(({ country_iso: country, visits }) => ['country', country, visits]),
    ...devices.map(({ device, visits }) => ['device', device, visits]),
  ];
  return { columns: ['kind', 'name', 'visits'], rows };
}

async function itemTable(caller: Caller, input: Input): Promise<Table> {
  const { collection } = await listItemEvents(caller, input);
  const rows = collection.map(({ item_id: id, title, events }) => [
    id,
    title,
    ...eventTypes.map((type) => events[type] ?? 0),
  ]);
  return { columns: ['item_id', 'title', ...eventTypes], rows };
}
