import { getState } from '../../accounts/merchants/states';
import { registeredUserEndpoints } from '../../accounts/registeredUsers.endpoints';
import { mayCall, signedIn } from '../../kit/auth';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { type EndpointInput, type PageResponse } from '../../kit/pages/page';
import { reportEndpoints } from '../../reports/reports.endpoints';
import { providerAccountEndpoints } from '../../subscriptions/provider/providerAccounts.endpoints';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { historyEndpoints } from '../../subscriptions/histories.endpoints';
import { barChart, lineChart, periodLabel } from '../charts/charts';
import { type RowOf } from '../layout/answers';
import { type Texts, textsFor } from '../layout/texts';
import { attention } from './attention';
import { checklist } from './checklist';
import { type PageState, showPage } from './crudPages';
import { demoOffer } from './demoData';
import { type MerchantVisit, showInConsole } from './frame';
import { type Days, keyFigures, type Month, readDays } from './keyFigures';
import { type CsvFile, fileAddress, stat, table } from './lists';
import { previousDays } from './reports/comparison';
import { type Meanings, readMeanings } from './reports/definitions';
import { transactionColumns } from './sales/transactions';

export const overviewPages = {
  showOverview: showPage({
    auth: signedIn(),
    path: '/console',
    summary: 'The key figures of today',
    show: overview,
  }),
};

async function overview(visit: MerchantVisit, { done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const sales = await ask(visit, historyEndpoints.listTransactions, { query: { limit: 8 } });
  const month = await ask(visit, reportEndpoints.getSummary);
  const content = html`${await waitingNotice(visit, texts)} ${await paymentNotice(visit, texts)}
  ${sales?.total === 0 && html`${await checklist(visit, texts)} ${await demoOffer(visit, texts)}`}
  ${await money(visit, texts, month)} ${await standing(visit, texts)} ${sales && latest(texts, sales.collection)}`;
  return showInConsole(visit, { section: 'overview', title: t('console.sections.overview'), done }, content);
}

/** The figures and charts of the last 30 days and of today. Before the first sale only what needs attention. */
async function money(visit: MerchantVisit, texts: Texts, month: Month | undefined): Promise<Html> {
  const matters = await attention(visit, texts);
  if (!month || month.collection.length === 0) return matters;
  const days = await readDays(visit);
  const earlier = await readDays(visit, previousDays(month));
  const meanings = await readMeanings(visit, texts);
  return html`${await keyFigures(visit, texts, { month, days, meanings })} ${matters}
  ${monthCharts(visit, texts, month, { daysOf: days, earlierOf: earlier })}
  ${await today(visit, texts, month, meanings)}`;
}

/** The answer of an endpoint, or undefined if the follower may not read it. */
async function ask<Body>(visit: MerchantVisit, endpoint: Endpoint & Answering<Body>, sent: EndpointInput = {}) {
  return mayCall(endpoint.auth, visit.caller) ? visit.call(endpoint, sent) : undefined;
}

async function waitingNotice({ caller }: MerchantVisit, { t }: Texts): Promise<Html> {
  const { state } = await getState(caller.merchantId);
  return html`${state === 'waiting' && html`<p class="alert warn">${t('console.overview.waits')}</p>`}`;
}

/** A merchant without a payment account cannot sell. */
async function paymentNotice(visit: MerchantVisit, { t }: Texts): Promise<Html> {
  const provider = await ask(visit, providerAccountEndpoints.getPaymentProvider);
  if (provider?.can_sell !== false) return html``;
  const link = html`<a href="/console/settings/payments">${t('console.overview.connect')}</a>`;
  const state = provider.source === 'own' ? provider.connect?.state : undefined;
  const text = state === 'restricted' || state === 'deauthorized' ? (`connect_${state}` as const) : 'source_none';
  return html`<p class="alert bad">${t(`console.payments.${text}`)} ${link}</p>`;
}

/** The name of a figure, with its currency if there are several. */
const nameIn = ({ collection }: Month, currency: string, name: string) =>
  collection.length > 1 ? `${name}, ${currency}` : name;

/** The revenue, the new and the lost subscriptions of today. */
async function today(visit: MerchantVisit, texts: Texts, month: Month, meanings: Meanings): Promise<Html> {
  const { t, money, number } = texts;
  const query = { from: month.to, to: month.to };
  const { collection } = await visit.call(reportEndpoints.getSummary, { query });
  const tiles = month.collection.map(({ currency }) => {
    const own = collection.find((row) => row.currency === currency);
    const tile = (number: string, name: string, value: string) => {
      const address = meanings.rowsOf(number, { ...query, currency });
      return stat(html`<a href="${address}">${nameIn(month, currency, name)}</a>`, value);
    };
    return [
      tile('revenue', t('console.reports.revenue'), money(own?.revenue ?? 0, currency)),
      tile('refunds', t('console.reports.refunds'), money(own?.refunds ?? 0, currency)),
      tile('new_subscriptions', t('console.overview.begun'), number(own?.new ?? 0)),
      tile('churned', t('console.overview.ended'), number(own?.churned ?? 0)),
    ];
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.overview.today')}</h2>
      <a href="/console/reports">${t('console.sections.reports')}</a>
    </div>
    ${tiles.map((own) => html`<div class="grid">${own}</div>`)}
  </section>`;
}

async function standing(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t, number } = texts;
  const states = ['active', 'trialing', 'past_due'] as const;
  const counts = await Promise.all(
    states.map((status) => ask(visit, subscriptionEndpoints.listSubscriptions, { query: { status, limit: 1 } })),
  );
  const customers = await ask(visit, registeredUserEndpoints.listRegisteredUsers, { query: { limit: 1 } });
  const tiles = states.map((state, index) => {
    const count = counts[index];
    if (!count) return '';
    const link = html`<a href="/console/subscriptions?status=${state}">${t(`console.overview.${state}`)}</a>`;
    return stat(link, number(count.total));
  });
  const people =
    customers &&
    stat(html`<a href="/console/customers">${t('console.overview.customers')}</a>`, number(customers.total));
  return html`<section class="stack" aria-label="${t('console.overview.now')}">
    <h2>${t('console.overview.now')}</h2>
    <div class="grid">${tiles}${people}</div>
  </section>`;
}

/** The charts of the last 30 days and the 30 days before: monthly recurring revenue and daily revenue. */
function monthCharts(
  visit: MerchantVisit,
  texts: Texts,
  month: Month,
  { daysOf, earlierOf }: { daysOf: Days; earlierOf: Days },
): Html {
  const { t, locale } = texts;
  const charts = month.collection.map(({ currency }) => {
    const { days, paid } = daysOf(currency);
    const earlier = earlierOf(currency);
    const query = { from: month.from, to: month.to, currency };
    const card = (
      draw: typeof barChart,
      name: string,
      list: CsvFile['list'],
      [values = [], before = []]: number[][],
    ) => {
      const title = nameIn(month, currency, name);
      const chart = draw({
        texts,
        title,
        labels: days.map(({ period }) => periodLabel(locale, period, 'day')),
        series: [{ name, values, before: before.length > 0 ? before : undefined }],
        currency,
        csv: fileAddress(visit, { list, query }),
      });
      return html`<div class="card stack">
        <h3>${title}</h3>
        ${chart}
      </div>`;
    };
    const closings = [days, earlier.days].map((rows) => rows.map(({ closing }) => closing));
    const revenues = [paid, earlier.paid].map((rows) => rows.map(({ revenue }) => revenue));
    return html`${card(lineChart, t('console.reports.mrr'), 'mrr-report', closings)}
    ${card(barChart, t('console.reports.revenue'), 'revenue-report', revenues)}`;
  });
  return html`<section class="stack">
    <h2>${t('console.overview.month')}</h2>
    <div class="charts">${charts}</div>
  </section>`;
}

function latest(texts: Texts, rows: readonly RowOf<typeof historyEndpoints.listTransactions>[]): Html {
  const { t } = texts;
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.overview.latest')}</h2>
      <a href="/console/transactions">${t('console.seeAll')}</a>
    </div>
    ${table({
      title: t('console.overview.latest'),
      columns: transactionColumns(texts),
      rows,
      empty: t('console.transactions.none'),
    })}
  </section>`;
}
