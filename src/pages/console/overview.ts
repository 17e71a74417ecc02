import { registeredUserEndpoints } from '../../accounts/registeredUsers/endpoints';
import { itemEndpoints } from '../../items/endpoints';
import { type Caller, mayCall, signedIn } from '../../kit/auth';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { page, type Sent, type Shown, type Visit } from '../../kit/pages/page';
import { reportEndpoints } from '../../reports/endpoints';
import { subscriptionEndpoints } from '../../subscriptions/endpoints';
import { historyEndpoints } from '../../subscriptions/histories/endpoints';
import { barChart, lineChart, periodLabel } from '../charts/charts';
import { type Texts, textsFor } from '../layout/texts';
import { inConsole, ListQuery, showInConsole } from './frame';
import { stat, table } from './lists';
import { everyPeriod } from './reports/charts';
import { readMeanings } from './reports/definitions';
import { transactionColumns } from './sales/transactions';

export const overviewPages = {
  showOverview: page({
    ...inConsole,
    auth: signedIn(),
    method: 'get',
    path: '/console',
    summary: 'The numbers that matter today',
    query: ListQuery,
    handler: overview,
  }),
};

type MerchantVisit = Visit & { caller: Caller };

async function overview(visit: MerchantVisit): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const items = await ask(visit, itemEndpoints.listItems, { query: { limit: 1, active: 'all' } });
  const month = await ask(visit, reportEndpoints.getSummary);
  const content = html`${items?.total === 0 ? firstSteps(texts) : ''} ${await today(visit, texts, month)}
  ${await standing(visit, texts, month)} ${await ways(visit, texts, month)} ${await latest(visit, texts)}`;
  return showInConsole(visit, { section: 'overview', title: t('console.sections.overview') }, content);
}

/** What a follower may not see is left out. */
async function ask<Body>(visit: MerchantVisit, endpoint: Endpoint & Answering<Body>, sent: Sent = {}) {
  return mayCall(endpoint.auth, visit.caller) ? visit.call(endpoint, sent) : undefined;
}

function firstSteps({ t }: Texts): Html {
  return html`<section class="card stack">
    <h2>${t('console.overview.firstSteps')}</h2>
    <ol class="steps">
      <li>${t('console.overview.stepItem')}</li>
      <li>${t('console.overview.stepFee')}</li>
      <li>${t('console.overview.stepShare')}</li>
    </ol>
    <p><a class="button main" href="/console/items/new">${t('console.items.create')}</a></p>
  </section>`;
}

interface Month {
  to: string;
  collection: readonly { currency: string; mrr: number }[];
}

/** A number's name, with its currency where there are several. */
const nameIn = ({ collection }: Month, currency: string, name: string) =>
  collection.length > 1 ? `${name}, ${currency}` : name;

/** What came in today, and who came and went. */
async function today(visit: MerchantVisit, texts: Texts, month: Month | undefined): Promise<Html> {
  if (!month || month.collection.length === 0) return html``;
  const { t, money, number } = texts;
  const query = { from: month.to, to: month.to };
  const { collection } = await visit.call(reportEndpoints.getSummary, { query });
  const meanings = await readMeanings(visit, texts);
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

async function standing(visit: MerchantVisit, texts: Texts, month: Month | undefined): Promise<Html> {
  const { t, number, money } = texts;
  const states = ['active', 'trialing', 'past_due'] as const;
  const counts = await Promise.all(
    states.map((status) => ask(visit, subscriptionEndpoints.listSubscriptions, { query: { status, limit: 1 } })),
  );
  const customers = await ask(visit, registeredUserEndpoints.listRegisteredUsers, { query: { limit: 1 } });
  const meanings = month && (await readMeanings(visit, texts));
  const every = month?.collection.map(({ currency, mrr }) => {
    const address = meanings?.rowsOf('mrr', { from: month.to, to: month.to, currency });
    const name = nameIn(month, currency, t('console.reports.mrr'));
    return stat(html`<a href="${address}">${name}</a>`, money(mrr, currency));
  });
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
    <div class="grid">${every}${tiles}${people}</div>
  </section>`;
}

/** What comes in every month and what came in each day, over the last 30 days. */
async function ways(visit: MerchantVisit, texts: Texts, month: Month | undefined): Promise<Html> {
  if (!month || month.collection.length === 0) return html``;
  const { t, money, locale } = texts;
  const query = { interval: 'day' };
  const mrr = await visit.call(reportEndpoints.getMrr, { query });
  const revenue = await visit.call(reportEndpoints.getRevenue, { query });
  const charts = month.collection.map(({ currency }) => {
    const days = mrr.collection.filter((row) => row.currency === currency);
    const paid = revenue.collection.filter((row) => row.currency === currency);
    const card = (draw: typeof barChart, name: string, values: readonly number[]) => {
      const title = nameIn(month, currency, name);
      const chart = draw({
        title,
        labels: days.map(({ period }) => periodLabel(locale, period, 'day')),
        series: [{ name, values }],
        format: (value) => money(value, currency),
        tableTitle: t('console.reports.numbers'),
      });
      return html`<div class="card stack">
        <h3>${title}</h3>
        ${chart}
      </div>`;
    };
    return html`${card(
      lineChart,
      t('console.reports.mrr'),
      days.map(({ closing }) => closing),
    )}
    ${card(
      barChart,
      t('console.reports.revenue'),
      everyPeriod(days, paid).map((row) => row.revenue),
    )}`;
  });
  return html`<section class="stack">
    <h2>${t('console.overview.month')}</h2>
    <div class="charts">${charts}</div>
  </section>`;
}

async function latest(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t } = texts;
  const sales = await ask(visit, historyEndpoints.listTransactions, { query: { limit: 8 } });
  if (!sales) return html``;
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.overview.latest')}</h2>
      <a href="/console/transactions">${t('console.seeAll')}</a>
    </div>
    ${table({
      title: t('console.overview.latest'),
      columns: transactionColumns(texts),
      rows: sales.collection,
      empty: t('console.transactions.none'),
    })}
  </section>`;
}
