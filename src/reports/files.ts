import { csvHead, csvLine, type CsvValue } from '../kit/csv';
import { streamTransactions } from './rows';
import { type Range, type ReportOwner } from './series';
import {
  getCustomerReport,
  getDunningReport,
  getMrr,
  getRevenue,
  getSubscriptionReport,
  getSummary,
  getTrialReport,
  type SeriesInput,
} from './reports';

/** Daily reports as CSV files, as scheduled reports mail them. */

interface File {
  columns: readonly string[];
  read: (owner: ReportOwner, input: SeriesInput) => Promise<{ collection: object[] }>;
}

const day = ['period', 'currency'];
const files = {
  summary: {
    columns: [
      ...['currency', 'mrr', 'arr', 'active_subscriptions', 'trialing', 'past_due', 'new', 'churned', 'churn_rate'],
      ...['subscriptions_at_start', 'trial_converted', 'trial_lost', 'trial_conversion_rate'],
      ...[
        'dunning_recovered',
        'dunning_lost',
        'recovery_rate',
        'revenue',
        'refunds',
        'chargebacks',
        'net_revenue',
        'arpu',
        'ltv',
        'customers',
      ],
    ],
    read: getSummary,
  },
  revenue: {
    columns: [...day, 'payments', 'revenue', 'refunds', 'chargebacks', 'net_revenue'],
    read: (owner, input) => getRevenue(owner, { ...input, group_by: undefined }),
  },
  subscriptions: {
    columns: [
      ...[...day, 'new', 'reactivated', 'renewed', 'churned', 'churned_voluntary', 'churned_payment', 'churn_rate'],
      'active',
    ],
    read: getSubscriptionReport,
  },
  mrr: {
    columns: [
      ...[...day, 'opening', 'new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'],
      ...['churn', 'net', 'closing', 'arr', 'revenue_churn_rate'],
    ],
    read: getMrr,
  },
  customers: { columns: [...day, 'customers', 'mrr', 'arpu', 'churn_rate', 'ltv'], read: getCustomerReport },
  trials: { columns: [...day, 'started', 'converted', 'lost', 'trial_conversion_rate'], read: getTrialReport },
  dunning: {
    columns: [
      ...[...day, 'failed.count', 'failed.amount', 'recovered.count', 'recovered.amount', 'lost.count'],
      ...['lost.amount', 'recovery_rate'],
    ],
    read: getDunningReport,
  },
} as const satisfies Record<string, File>;

export type FileName = keyof typeof files | 'transactions';

/** Streams the report of a range line by line. The first line names the columns. */
export async function* streamReport(
  owner: ReportOwner,
  name: FileName,
  { from, to }: Pick<Range, 'from' | 'to'>,
): AsyncGenerator<string> {
  const range = { from: new Date(from), to: new Date(to) };
  if (name === 'transactions') {
    yield* streamTransactions(owner, range);
    return;
  }
  const { columns, read }: File = files[name];
  yield csvHead(columns);
  const { collection } = await read(owner, { ...range, interval: 'day', currency: undefined });
  for (const row of collection) yield csvLine(columns.map((column) => valueAt(row, column)));
}

/** `failed.count` is a nested value. */
function valueAt(row: object, column: string): CsvValue {
  const [name = '', inner] = column.split('.');
  const value = (row as Record<string, unknown>)[name];
  return (inner === undefined ? value : (value as Record<string, unknown>)[inner]) as CsvValue;
}
