import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/reports.endpoints';
import { named, type Texts } from '../../layout/texts';
import { table, withParameters } from '../lists';
import { type Meanings } from './definitions';
import { type ReportQuery, type RangeVisit } from './range';

/** The groups of the revenue, and the query of their rows. */
const groups = {
  item: 'item_id',
  fee: 'access_fee_id',
  country: 'country_iso',
  payment_method: 'payment_method',
  voucher: 'voucher_code',
  kind: 'kind',
} as const;
type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as Group[];

interface Sum {
  key: string;
  label: string;
  payments: number;
  net: number;
}

/** The revenue by group, such as item or country. */
export async function groupOf(visit: RangeVisit, texts: Texts, asked: ReportQuery, meanings: Meanings): Promise<Html> {
  const { t } = texts;
  const group = groupNames.find((name) => name === visit.query.group_by) ?? 'item';
  const rows = await readSums(visit, asked, group);
  const links = groupNames.map((name) => {
    const isCurrent = name === group ? html`aria-current="page"` : '';
    const address = withParameters(visit.address, { group_by: name });
    return html`<li><a href="${address}" ${isCurrent}>${t(`console.reports.groups.${name}`)}</a></li>`;
  });
  const link = (name: 'payments' | 'net_revenue', { key }: Sum, text: string) => {
    const address = meanings.rowsOf(name, asked) ?? '';
    return html`<a href="${withParameters(address, { [groups[group]]: key === '' ? '-' : key })}">${text}</a>`;
  };
  const title = t('console.reports.revenueBy');
  return html`<section class="stack" id="revenue-by">
    <h2>${title}</h2>
    ${meanings.explain(title, ['payments', 'net_revenue'])}
    <ul class="tabs">
      ${links}
    </ul>
    ${table({
      title,
      rows,
      empty: t('console.reports.revenueByNone'),
      columns: [
        { title: t(`console.reports.groups.${group}`), cell: (row) => labelOf(texts, group, row) },
        {
          title: t('console.reports.payments'),
          cell: (row) => link('payments', row, texts.number(row.payments)),
          isNumber: true,
        },
        {
          title: t('console.reports.net_revenue'),
          cell: (row) => link('net_revenue', row, texts.money(row.net, asked.currency)),
          isNumber: true,
        },
      ],
    })}
  </section>`;
}

/** Reads sums by month, because there are fewer of them than sums by day. */
async function readSums(visit: RangeVisit, asked: ReportQuery, group: Group): Promise<Sum[]> {
  const query = { ...asked, interval: 'month', group_by: group };
  const { collection } = await visit.call(reportEndpoints.getRevenue, { query });
  const sums = new Map<string, Sum>();
  for (const { key, label, payments, net_revenue: net } of collection) {
    const before = sums.get(key) ?? { key, label, payments: 0, net: 0 };
    sums.set(key, { ...before, payments: before.payments + payments, net: before.net + net });
  }
  return [...sums.values()].sort((one, other) => other.net - one.net);
}

function labelOf(texts: Texts, group: Group, { key, label }: Sum): string {
  if (label === '') return texts.t('console.none');
  if (group === 'country') return texts.country(key);
  return group === 'payment_method' || group === 'kind' ? named(texts, 'reports.keys', key) : label;
}
