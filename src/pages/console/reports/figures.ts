import { html, type Html, type Written } from '../../../kit/html';
import { type Texts } from '../../layout/texts';
import { stat, withParameters } from '../lists';
import { type Asked } from './range';

/** The large numbers of a report, each a way to its rows. */

interface SummaryRow {
  mrr: number;
  arr: number;
  active_subscriptions: number;
  trialing: number;
  past_due: number;
  new: number;
  churned: number;
  churn_rate: number | null;
  trial_conversion_rate: number | null;
  revenue: number;
  refunds: number;
  chargebacks: number;
  net_revenue: number;
  arpu: number | null;
  ltv: number | null;
  customers: number;
}

/** The way to the rows that a number is a sum of. */
function rowsAddress(list: string, { from, to, currency }: Asked, more: Record<string, string> = {}): string {
  return withParameters(`/console/reports/${list}`, { from, to, currency, ...more });
}

export function tilesOf(texts: Texts, row: SummaryRow, asked: Asked): Html {
  const { t, number } = texts;
  const money = (amount: number | null) => (amount === null ? '–' : texts.money(amount, asked.currency));
  const share = (part: number | null) => shareText(texts, part);
  const upTo = { ...asked, from: '' };
  const link = (name: keyof SummaryRow, address: string) =>
    html`<a href="${address}">${t(`console.reports.${name}`)}</a>`;
  const state = (name: 'trialing' | 'past_due', at: string) =>
    link(name, rowsAddress('transitions', upTo, { state: at }));
  const churn = { kind: 'churn_voluntary,churn_payment' };
  const tiles: [Written, string][] = [
    [link('mrr', rowsAddress('movements', upTo)), money(row.mrr)],
    [link('arr', rowsAddress('movements', upTo)), money(row.arr)],
    [link('revenue', rowsAddress('transactions', asked, { type: 'charge' })), money(row.revenue)],
    [link('refunds', rowsAddress('transactions', asked, { type: 'refund' })), money(row.refunds)],
    [link('chargebacks', rowsAddress('transactions', asked, { type: 'chargeback' })), money(row.chargebacks)],
    [link('net_revenue', rowsAddress('transactions', asked)), money(row.net_revenue)],
    [
      link('active_subscriptions', rowsAddress('transitions', upTo, { state: 'active' })),
      number(row.active_subscriptions),
    ],
    [link('new', rowsAddress('movements', asked, { kind: 'new' })), number(row.new)],
    [link('churned', rowsAddress('movements', asked, churn)), number(row.churned)],
    [link('churn_rate', rowsAddress('movements', asked, churn)), share(row.churn_rate)],
    [state('trialing', 'trialing'), number(row.trialing)],
    [
      link('trial_conversion_rate', rowsAddress('transitions', asked, { what: 'trial_converted' })),
      share(row.trial_conversion_rate),
    ],
    [state('past_due', 'past_due'), number(row.past_due)],
    [link('customers', rowsAddress('movements', upTo)), number(row.customers)],
    [link('arpu', rowsAddress('movements', upTo)), money(row.arpu)],
    [link('ltv', rowsAddress('movements', upTo)), money(row.ltv)],
  ];
  return html`<div class="grid">${tiles.map(([name, value]) => stat(name, value))}</div>`;
}

export function shareText({ language }: Texts, part: number | null): string {
  if (part === null) return '–';
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(part);
}
