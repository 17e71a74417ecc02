import { registeredUserEndpoints } from '../../accounts/registeredUsers/endpoints';
import { itemEndpoints } from '../../items/endpoints';
import { type Caller, mayCall, signedIn } from '../../kit/auth';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { page, type Sent, type Shown, type Visit } from '../../kit/pages/page';
import { reportEndpoints } from '../../reports/endpoints';
import { subscriptionEndpoints } from '../../subscriptions/endpoints';
import { historyEndpoints } from '../../subscriptions/histories/endpoints';
import { lineChart, periodLabel } from '../charts/charts';
import { type Texts, textsFor } from '../layout/texts';
import { inConsole, ListQuery, showInConsole } from './frame';
import { stat, table } from './lists';
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
  const content = html`${items?.total === 0 ? firstSteps(texts) : ''} ${await sales(visit, texts)}
  ${await standing(visit, texts)} ${await latest(visit, texts)}`;
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

/** What came in today, and what comes in every month, with the way of the last 30 days. */
async function sales(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t, money, number } = texts;
  const month = await ask(visit, reportEndpoints.getSummary);
  if (!month || month.collection.length === 0) return html``;
  const query = { from: month.to, to: month.to };
  const today = await ask(visit, reportEndpoints.getSummary, { query });
  const mrr = await ask(visit, reportEndpoints.getMrr, { query: { interval: 'day' } });
  const parts = month.collection.map(({ currency, mrr: monthly }) => {
    const own = today?.collection.find((row) => row.currency === currency);
    const days = mrr?.collection.filter((row) => row.currency === currency) ?? [];
    const chart = lineChart({
      title: `${t('console.reports.mrr')}, ${currency}`,
      labels: days.map(({ period }) => periodLabel(texts.language, period, 'day')),
      series: [{ name: t('console.reports.mrr'), values: days.map(({ closing }) => closing) }],
      format: (value) => money(value, currency),
      tableTitle: t('console.reports.numbers'),
    });
    return html`<div class="grid">
        ${stat(t('console.reports.revenue'), money(own?.revenue ?? 0, currency), t('console.overview.today'))}
        ${stat(t('console.reports.refunds'), money(own?.refunds ?? 0, currency), t('console.overview.today'))}
        ${stat(t('console.reports.new'), number(own?.new ?? 0), t('console.overview.today'))}
        ${stat(t('console.reports.churned'), number(own?.churned ?? 0), t('console.overview.today'))}
        ${stat(t('console.reports.mrr'), money(monthly, currency))}
      </div>
      <div class="card stack">
        <h3>${t('console.reports.mrr')}, ${currency}</h3>
        ${chart}
      </div>`;
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t('console.overview.today')}</h2>
      <a href="/console/reports">${t('console.sections.reports')}</a>
    </div>
    ${parts}
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
