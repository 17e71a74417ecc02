import { type DemoState, fillWithDemoData, getDemoState, mayFill } from '../../demoData/demoData';
import { merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { type PageResponse } from '../../kit/pages/page';
import { form, submit } from '../layout/forms';
import { icon } from '../layout/icons';
import { type Texts, textsFor } from '../layout/texts';
import { formPage, showPage } from './crudPages';
import { type MerchantVisit, showInConsole } from './frame';

/** Demo data for an empty account of the test environment, with its progress. */

const place = { auth: merchant('items:write'), path: '/console/demo-data' } as const;
const refreshSeconds = 3;

export const demoDataPages = {
  showDemoData: showPage({ ...place, summary: 'The demo data of the merchant', show: demoPage }),
  fillWithDemoData: formPage({
    ...place,
    summary: 'Fills an empty account with demo data',
    work: ({ caller, request }) => fillWithDemoData(caller, request.requestId),
    next: place.path,
  }),
};

async function demoPage(visit: MerchantVisit): Promise<PageResponse> {
  const demo = await getDemoState(visit.caller);
  const texts = textsFor(visit);
  const title = texts.t('console.demo.title');
  const headers = demo.state === 'running' ? { headers: { Refresh: String(refreshSeconds) } } : {};
  return showInConsole(visit, { section: 'clock', title }, contentOf(visit, texts, demo), headers);
}

function contentOf(visit: MerchantVisit, texts: Texts, demo: DemoState): Html {
  const { t } = texts;
  const overview = html`<a href="/console">${t('console.sections.overview')}</a>`;
  if (demo.state === 'possible') return offer(visit, texts);
  if (demo.state === 'done') return html`<p class="alert good" role="status">${t('console.demo.done')} ${overview}</p>`;
  if (demo.state !== 'running') return html`<p class="alert">${t(`console.demo.${demo.state}`)}</p>`;
  const { stepsDone: done, steps } = demo;
  const told = t('console.demo.running', { done, total: steps });
  return html`<section class="card stack">
    <p role="status">${told}</p>
    <progress max="${steps}" value="${done}" aria-label="${t('console.demo.title')}"></progress>
    <p class="quiet small">${t('console.demo.wait')} ${overview}</p>
  </section>`;
}

function offer(visit: MerchantVisit, { t }: Texts): Html {
  const content = submit(html`${icon('data')}${t('console.demo.fill')}`);
  return html`<section class="card stack">
    <h2>${t('console.demo.fill')}</h2>
    <p>${t('console.demo.explain')}</p>
    ${form(visit, { action: place.path, content, name: 'demo' })}
  </section>`;
}

/** On the overview of an account without a sale, for those who may fill it. */
export async function demoOffer(visit: MerchantVisit, texts: Texts): Promise<Html> {
  if (!mayFill(visit.caller)) return html``;
  const demo = await getDemoState(visit.caller);
  return demo.state === 'possible' || demo.state === 'running' ? contentOf(visit, texts, demo) : html``;
}

export function demoLink({ caller }: MerchantVisit, { t }: Texts): Html {
  return html`${mayFill(caller) && html`<li><a href="${place.path}">${t('console.demo.fill')}</a></li>`}`;
}
