import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html } from '../../../kit/html';
import { page, type Visit } from '../../../kit/pages/page';
import { reportRowEndpoints } from '../../../reports/rows.endpoints';
import { named, type Texts, textsFor } from '../../layout/texts';
import { fieldsOf } from '../fields';
import { inConsole, showInConsole } from '../frame';
import { badge, breakable, type Column, type CsvFile, given, pager, table, when } from '../lists';
import { asOfNote } from './asOf';

const RowsQuery = fieldsOf([
  ...['page', 'from', 'to', 'currency', 'item_id', 'kind', 'country_iso', 'cohort', 'account_id', 'subscription_id'],
  ...['what', 'state', 'type', 'access_fee_id', 'payment_method', 'voucher_code', 'first', 'customers'],
]);

/** The rows behind the figures of a report. The endpoint validates the query. */
const rowsPage = { ...inConsole, auth: merchant('reports:read'), method: 'get', query: RowsQuery } as const;

export const reportRowPages = {
  showMovements: page({
    ...rowsPage,
    path: '/console/reports/movements',
    summary: 'The movements of the monthly recurring revenue',
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t, money } = texts;
      const found = await visit.call(reportRowEndpoints.listMovements, { query: given(visit.query) });
      const columns: Column<(typeof found.collection)[number]>[] = [
        { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
        { title: t('console.fields.what'), cell: ({ kind }) => named(texts, 'reports', kind) },
        ...whose<(typeof found.collection)[number]>(texts),
        { title: t('console.reports.change'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
        { title: t('console.reports.mrr'), cell: ({ mrr, currency }) => money(mrr, currency), isNumber: true },
      ];
      return showRows(visit, texts, {
        title: t('console.reports.movements'),
        csv: 'movements',
        columns,
        found,
        more: Object.values(found.counts).flatMap(({ subscriptions, customers }) => [
          [t('console.reports.subscriptions'), texts.number(subscriptions)] as const,
          [t('console.reports.customers'), texts.number(customers)] as const,
        ]),
      });
    },
  }),
  showTransitions: page({
    ...rowsPage,
    path: '/console/reports/transitions',
    summary: 'The changes of subscriptions',
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t, money, number } = texts;
      const found = await visit.call(reportRowEndpoints.listTransitions, { query: given(visit.query) });
      const { state_change: change } = found;
      const columns: Column<(typeof found.collection)[number]>[] = [
        { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
        ...whose<(typeof found.collection)[number]>(texts),
        { title: t('console.fields.from'), cell: ({ from }) => (from === '' ? '' : badge(texts, from)) },
        { title: t('console.fields.to'), cell: ({ to }) => badge(texts, to) },
        {
          title: t('console.fields.amount'),
          cell: ({ amount, currency }) => (amount === 0 ? '' : money(amount, currency)),
          isNumber: true,
        },
      ];
      return showRows(visit, texts, {
        title: t('console.reports.transitions'),
        csv: 'transitions',
        columns,
        found,
        more: change === null ? [] : [[t('console.reports.inState'), number(change)]],
      });
    },
  }),
  showReportTransactions: page({
    ...rowsPage,
    path: '/console/reports/transactions',
    summary: 'The payments and refunds',
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t, money } = texts;
      const found = await visit.call(reportRowEndpoints.listReportTransactions, {
        query: { ...given(visit.query), format: 'json' },
      });
      if (typeof found === 'string') throw new AppError('not_found');
      const columns: Column<(typeof found.collection)[number]>[] = [
        { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
        { title: t('console.fields.what'), cell: ({ type }) => badge(texts, type) },
        ...whose<(typeof found.collection)[number]>(texts),
        { title: t('console.fields.country'), cell: ({ country_iso }) => country_iso },
        { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
      ];
      return showRows(visit, texts, {
        title: t('console.sections.transactions'),
        csv: 'transactions',
        columns,
        found,
      });
    },
  }),
};

function whose<Row extends { account_id: number; email: string; item_title: string }>({ t }: Texts): Column<Row>[] {
  return [
    {
      title: t('console.fields.customer'),
      cell: ({ account_id, email }) => html`<a href="/console/customers/${account_id}">${breakable(email)}</a>`,
    },
    { title: t('console.fields.item'), cell: ({ item_title }) => item_title },
  ];
}

interface Rows<Row> {
  title: string;
  csv: CsvFile['list'];
  columns: Column<Row>[];
  /** `sums`: the totals of all pages, by currency. */
  found: {
    collection: Row[];
    total: number;
    page: number;
    limit: number;
    sums: Record<string, number>;
    as_of?: number | undefined;
  };
  /** Further totals. */
  more?: readonly (readonly [name: string, value: string])[];
}

function showRows<Row>(
  visit: Visit & { query: Record<string, string | undefined> },
  texts: Texts,
  { title, csv, columns, found, more = [] }: Rows<Row>,
) {
  const { t, money, number } = texts;
  const sums = Object.entries(found.sums).map(([currency, sum]) => [t('console.reports.sum'), money(sum, currency)]);
  const whole = [[t('console.reports.lines'), number(found.total)], ...sums, ...more];
  const totals = html`<ul class="totals">
    ${whole.map(([name, value]) => html`<li>${name}: <span class="strong">${value}</span></li>`)}
  </ul>`;
  const list = table({ title, columns, rows: found.collection, empty: t('console.reports.noRows') });
  const place = {
    section: 'reports',
    title,
    back: { address: '/console/reports', text: t('console.sections.reports') },
  } as const;
  const way = pager(visit, texts, found, { list: csv, query: given(visit.query) });
  return showInConsole(visit, place, html`${asOfNote(texts, found)} ${found.total > 0 ? totals : ''} ${list} ${way}`);
}
