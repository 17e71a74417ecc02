import { html, type Html } from '../../../kit/html';
import { reportEndpoints } from '../../../reports/endpoints';
import { type Texts } from '../../layout/texts';
import { table, withParameters } from '../lists';
import { type Asked, type RangeVisit } from './range';

const groups = ['item', 'fee', 'country', 'payment_method', 'voucher', 'kind'] as const;

/** The revenue by item, country and the like. */
export async function groupOf(visit: RangeVisit, texts: Texts, asked: Asked): Promise<Html> {
  const { t } = texts;
  const group = groups.find((name) => name === visit.query.group_by) ?? 'item';
  // Months add up what days would list one by one.
  const { collection } = await visit.call(reportEndpoints.getRevenue, {
    query: { ...asked, interval: 'month', group_by: group },
  });
  const sums = new Map<string, { label: string; payments: number; net: number }>();
  for (const { key, label, payments, net_revenue: net } of collection) {
    const before = sums.get(key) ?? { label, payments: 0, net: 0 };
    sums.set(key, { label, payments: before.payments + payments, net: before.net + net });
  }
  const links = groups.map((name) => {
    const isCurrent = name === group ? html`aria-current="page"` : '';
    const address = withParameters(visit.address, { group_by: name });
    return html`<li><a href="${address}" ${isCurrent}>${t(`console.reports.groups.${name}`)}</a></li>`;
  });
  return html`<section class="stack">
    <h2>${t('console.reports.revenueBy')}</h2>
    <ul class="tabs">
      ${links}
    </ul>
    ${table({
      title: t('console.reports.revenueBy'),
      rows: [...sums.values()].sort((one, other) => other.net - one.net),
      empty: t('console.transactions.none'),
      columns: [
        {
          title: t(`console.reports.groups.${group}`),
          cell: ({ label }) => (label === '' ? t('console.none') : label),
        },
        { title: t('console.reports.payments'), cell: ({ payments }) => texts.number(payments), isNumber: true },
        {
          title: t('console.reports.net_revenue'),
          cell: ({ net }) => texts.money(net, asked.currency),
          isNumber: true,
        },
      ],
    })}
  </section>`;
}
