import { html, type Html, type Written } from '../../../kit/html';
import { type reportEndpoints } from '../../../reports/reports.endpoints';
import { type RowOf } from '../../layout/answers';
import { type Texts } from '../../layout/texts';
import { stat } from '../lists';
import { type Meanings } from './definitions';
import { type ReportQuery } from './range';

/** The key figures of a report, with links to their rows. */

type SummaryRow = RowOf<typeof reportEndpoints.getSummary>;

export function tilesOf(texts: Texts, row: SummaryRow, asked: ReportQuery, meanings: Meanings): Html {
  const { t, number } = texts;
  const money = (amount: number | null) => (amount === null ? '–' : texts.money(amount, asked.currency));
  const share = (part: number | null) => shareText(texts, part);
  const of = (whole: 'atStart' | 'ended' | 'decided' | 'customers', count: number) =>
    t(`console.reports.of.${whole}`, { count });
  const tiles: Record<string, [value: string, note?: string]> = {
    mrr: [money(row.mrr)],
    arr: [money(row.arr)],
    revenue: [money(row.revenue)],
    refunds: [money(row.refunds)],
    chargebacks: [money(row.chargebacks)],
    net_revenue: [money(row.net_revenue)],
    active_subscriptions: [number(row.active_subscriptions)],
    new_subscriptions: [number(row.new)],
    churned: [number(row.churned)],
    churn_rate: [share(row.churn_rate), of('atStart', row.subscriptions_at_start)],
    trialing: [number(row.trialing)],
    trial_conversion_rate: [share(row.trial_conversion_rate), of('ended', row.trial_converted + row.trial_lost)],
    past_due: [number(row.past_due)],
    recovery_rate: [share(row.recovery_rate), of('decided', row.dunning_recovered + row.dunning_lost)],
    customers: [number(row.customers)],
    arpu: [money(row.arpu), of('customers', row.customers)],
    ltv: [money(row.ltv), t('console.reports.of.churned', { count: row.churned })],
  };
  const title = t('console.reports.summary');
  return html`<section class="stack" aria-label="${title}">
    <h2>${title}</h2>
    ${meanings.explain(title, Object.keys(tiles))}
    <div class="grid">
      ${Object.entries(tiles).map(([name, [value, note]]) => {
        const text = t(`console.reports.${name as 'mrr'}`);
        const divider = note && linked(meanings.dividerOf(name, asked), note);
        return stat(linked(meanings.rowsOf(name, asked), text), value, divider);
      })}
    </div>
  </section>`;
}

function linked(address: string | undefined, text: string): Written {
  return address === undefined ? text : html`<a href="${address}">${text}</a>`;
}

export function shareText({ language }: Texts, part: number | null): string {
  if (part === null) return '–';
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part);
}
