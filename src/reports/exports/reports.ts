import { merchant } from '../../kit/auth';
import { type CsvValue } from '../../kit/csv';
import {
  getCohorts,
  getDunningReport,
  getMrr,
  getRevenue,
  getSubscriptionReport,
  getTrialReport,
  type SeriesInput,
} from '../reports';
import { type ReportOwner } from '../series';
import { type ExportFilter, type List, whole } from './lists';

/** Exports of the numbers of reports, by interval. */

const auth = merchant('reports:read');

type Read = (owner: ReportOwner, input: SeriesInput) => Promise<{ collection: object[] }>;

const series = (read: Read, columns: string): List => ({
  auth,
  filters: ['from', 'to', 'currency', 'interval'],
  columns: `period currency ${columns}`,
  read: async (caller, { from, to, currency, interval = 'day' }: ExportFilter) =>
    whole((await read(caller, { from, to, currency, interval })).collection.map(flat)),
});

export const reportLists = {
  'mrr-report': series(
    getMrr,
    `opening new reactivation expansion contraction churn_voluntary churn_payment churn net closing arr
      revenue_churn_rate`,
  ),
  'revenue-report': series(
    (owner, input) => getRevenue(owner, { ...input, group_by: undefined }),
    'payments revenue refunds chargebacks net_revenue',
  ),
  'subscription-report': series(
    getSubscriptionReport,
    'new reactivated renewed churned churned_voluntary churned_payment churn_rate active',
  ),
  'trial-report': series(getTrialReport, 'started converted lost trial_conversion_rate'),
  'dunning-report': series(
    getDunningReport,
    'failed_count failed_amount recovered_count recovered_amount lost_count lost_amount recovery_rate',
  ),
  'cohort-report': {
    auth,
    filters: ['from', 'to', 'currency'],
    columns: 'cohort currency size month subscriptions mrr retention mrr_retention',
    read: async (caller, { from, to, currency }) => {
      const { collection } = await getCohorts(caller, { from, to, currency });
      return whole(collection.flatMap(({ months, ...cohort }) => months.map((month) => ({ ...cohort, ...month }))));
    },
  },
} as const satisfies Record<string, List>;

/** `{ failed: { count } }` is the column `failed_count`. */
function flat(row: object): Record<string, CsvValue> {
  const entries = Object.entries(row).flatMap(([name, value]: [string, CsvValue | object]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([inner, part]: [string, CsvValue]) => [`${name}_${inner}`, part] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
