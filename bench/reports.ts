import { type Caller } from '../src/kit/auth';
import { createDatabase, withClient } from './database';
import { balanceRows, bookRows, catalogue, documentRows, paymentRows, subscriptionRows } from './reportRows';
import { median, percentile } from './table';
import { timed } from './timed';

const database = 'paywall_reports';
const rounds = 21;
const plan = { interval: 'day', from: undefined, to: undefined, currency: undefined } as const;

export interface Measured {
  what: string;
  /** Milliseconds: median and 95th percentile. */
  median: number;
  p95: number;
}

export interface ReportBench {
  payments: number;
  subscriptions: number;
  seconds: number;
  measured: Measured[];
  explained: string;
}

/**
 * Creates a merchant with this many payments over three years, each with an invoice: four for each of its subscriptions,
 * the others one-time.
 */
export async function seedReports(serverUrl: string, payments: number): Promise<string> {
  const url = await createDatabase(serverUrl, database);
  const subscriptions = payments / 5;
  const oneTime = payments / 5;
  await withClient(url, async (client) => {
    await client.query('SET synchronous_commit = off');
    for (const text of [
      ...catalogue(subscriptions),
      ...subscriptionRows(subscriptions),
      ...paymentRows(oneTime),
      ...documentRows,
      ...balanceRows,
      ...bookRows,
    ])
      await client.query(text);
    for (let folded = 1; folded > 0;)
      folded = (await client.query<{ folded: number }>('SELECT fold_figures(50000) AS folded')).rows[0]?.folded ?? 0;
    await client.query('VACUUM ANALYZE');
  });
  return url;
}

const caller = { merchantId: 1, accountId: 1, role: 'merchant', scopes: [] } as unknown as Caller;

/**
 * Measures behind the policies, as requests are answered. The settings must name the database already, because the product
 * reads them when it is first imported.
 */
export async function measureReports(payments: number, seconds: number): Promise<ReportBench> {
  const { explainFigures } = await import('../src/reports/figures.js');
  const { pool } = await import('../src/adapters/postgres/connection.js');
  const { prepareDatabase } = await import('../src/adapters/postgres/roles.js');
  const { withinMerchant } = await import('../src/adapters/postgres/requestWork.js');
  await prepareDatabase();
  const measured: Measured[] = [];
  for (const [what, work] of await listReports()) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      times.push(await timed(() => withinMerchant(caller.merchantId, () => work(round))));
    measured.push({ what, median: median(times), p95: percentile(times, 95) });
  }
  const explained = await explainFigures({
    merchantId: 1,
    figures: ['revenue', 'refunds'],
    dimension: 'item',
    from: yearAgo().toISOString().slice(0, 10),
    to: new Date().toISOString().slice(0, 10),
    interval: 'month',
  });
  await pool.end();
  return { payments, subscriptions: payments / 5, seconds, measured, explained };
}

const yearAgo = () => daysAgo(365);

const lastYear = (quarter: number | undefined) => ({ year: yearAgo().getUTCFullYear(), quarter });

/** Lists have another last day in each round, because the service keeps large totals for some seconds. */
type Work = [what: string, work: (round: number) => Promise<unknown>];

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

async function listReports(): Promise<Work[]> {
  const reports = await import('../src/reports/reports.js');
  const rows = await import('../src/reports/rows.js');
  const books = await import('../src/reports/books/books.js');
  const year = { ...plan, from: yearAgo() };
  const byMonth = { ...year, interval: 'month', group_by: 'item' } as const;
  const day = () => ({ from: new Date(), to: new Date() });
  const firstPage = { page: 1, size: 25, from: yearAgo(), to: undefined, currency: undefined } as const;
  const refunds = { ...firstPage, entry_kind: undefined, account: 'refunds' } as const;
  return [
    ['summary of 30 days', () => reports.getSummary(caller, plan)],
    ['summary of a year', () => reports.getSummary(caller, year)],
    ['revenue of a year by day', () => reports.getRevenue(caller, { ...year, group_by: undefined })],
    ['revenue of a year by item and month', () => reports.getRevenue(caller, byMonth)],
    ['MRR of a year by day', () => reports.getMrr(caller, year)],
    ['subscriptions of a year by day', () => reports.getSubscriptionReport(caller, year)],
    ['customers of a year by day', () => reports.getCustomerReport(caller, year)],
    ['cohorts of a year', () => reports.getCohorts(caller, year)],
    ['trial balance of a year', () => books.getTrialBalance(caller, year)],
    ['deferred revenue of yesterday', () => books.getDeferredRevenue(caller, { to: undefined, currency: undefined })],
    ['deferred revenue a year ago', () => books.getDeferredRevenue(caller, { to: yearAgo(), currency: undefined })],
    ['the first page of a year’s journal', () => books.listJournal(caller, { ...firstPage, entry_kind: undefined })],
    ['the first page of an account of the journal', () => books.listJournal(caller, refunds)],
    ['the first page of a day’s transactions', () => rows.listTransactions(caller, day())],
    ['the first page of a day’s steps of subscriptions', () => rows.listTransitions(caller, day())],
    ['the first page of a day’s movements', () => rows.listMovements(caller, day())],
    ...(await listTaxReports()),
  ];
}

async function listTaxReports(): Promise<Work[]> {
  const taxes = await import('../src/invoices/taxSums.js');
  const { getOssReturn } = await import('../src/invoices/ossReturns.js');
  const { getLiabilities } = await import('../src/reports/liabilities.js');
  const { getTaxSettings } = await import('../src/tax/taxSettings.js');
  const { year } = lastYear(undefined);
  return [
    ['tax of a quarter', () => taxes.getTaxReport(caller, lastYear(1))],
    ['tax of a year', () => taxes.getTaxReport(caller, lastYear(undefined))],
    ['return of the one stop shop of a quarter', () => getOssReturn(caller, { year, quarter: 1 })],
    ['liabilities of now', () => getLiabilities(caller, { to: undefined, currency: undefined })],
    ['liabilities a year ago', () => getLiabilities(caller, { to: yearAgo(), currency: undefined })],
    ['tax settings, with the sales without a registration', () => getTaxSettings(caller)],
    ...(await listInvoiceLists()),
  ];
}

async function listInvoiceLists(): Promise<Work[]> {
  const { listInvoices } = await import('../src/invoices/invoices.js');
  const { listUnprovedSales } = await import('../src/tax/unprovedSales.js');
  const until = (round: number) => ({ endDate: daysAgo(-1 - round) });
  const inMonth = (round: number) => ({ startDate: daysAgo(730), endDate: daysAgo(700 - round) });
  const search = (text: string) => (round: number) => listInvoices(caller, { search: text, ...until(round) });
  const ofYear = (kind: 'credit_note' | 'cancellation') => (round: number) =>
    listInvoices(caller, { kind, startDate: yearAgo(), ...until(round) });
  return [
    ['the first page of all invoices', (round) => listInvoices(caller, until(round))],
    ['the first page of a month’s invoices', (round) => listInvoices(caller, inMonth(round))],
    ['the hundredth page of a month’s invoices', (round) => listInvoices(caller, { ...inMonth(round), page: 100 })],
    ['the first page of a year’s credit notes', ofYear('credit_note')],
    ['the first page of a year’s cancellations', ofYear('cancellation')],
    ['search of invoices by number', search('000777')],
    ['search of invoices by address', search('77@bench')],
    ['search of invoices without a result', search('nobody')],
    ['the first page of sales without a proof', () => listUnprovedSales(caller, {})],
    ...(await listSales()),
    ...(await listCustomers()),
  ];
}

/** The list of payments and refunds by its filters, each with its totals. */
async function listSales(): Promise<Work[]> {
  const { listTransactions, reportTransactions } = await import('../src/subscriptions/histories.js');
  const until = (round: number) => ({ endDate: daysAgo(-1 - round) });
  const page = (filter: object) => (round: number) => listTransactions(caller, { ...filter, ...until(round) });
  const inMonth = (round: number) => ({ startDate: daysAgo(730), endDate: daysAgo(700 - round) });
  return [
    ['transactions with totals: all', (round) => listTransactions(caller, until(round))],
    ['transactions with totals: a month', (round) => listTransactions(caller, inMonth(round))],
    [
      'transactions with totals: a year',
      (round) => listTransactions(caller, { startDate: yearAgo(), ...until(round) }),
    ],
    ['transactions with totals: an item', (round) => listTransactions(caller, { item_id: 1 + round })],
    [
      'transactions with totals: an item in a month',
      (round) => listTransactions(caller, { item_id: 7, ...inMonth(round) }),
    ],
    ['transactions with totals: a customer', (round) => listTransactions(caller, { account_id: 1_000 + round })],
    ['transactions with totals: an amount', page({ amount_from: 5.25, amount_to: 5.25 })],
    ['transactions with totals: an amount of an item', page({ item_id: 7, amount_from: 5, amount_to: 6 })],
    ['transactions with totals: refunds', (round) => listTransactions(caller, { type: 'refund', ...until(round) })],
    ['transactions with sums: a month', (round) => reportTransactions(caller, inMonth(round))],
    ['transactions with sums: an item', (round) => reportTransactions(caller, { item_id: 1 + round })],
  ];
}

/** Searches for customers. One of ten has the name of the frequent text. */
async function listCustomers(): Promise<Work[]> {
  const { listRegisteredUsers } = await import('../src/accounts/registeredUsers.js');
  const search = (text: string, counted: object) => () =>
    listRegisteredUsers(caller, { search: [`title:${text}`], ...counted });
  return [
    ['customers: a rare text', search('77777@bench', {})],
    ['customers: a text of a tenth, up to 10,000', search('maria', { total_up_to: 10_001 })],
    ['customers: a text of all, up to 10,000', search('bench.test', { total_up_to: 10_001 })],
    ['customers: a text of nobody', search('nobody', { total_up_to: 10_001 })],
  ];
}
