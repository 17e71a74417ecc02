import { type DemoState, fillWithDemoData, getDemoState, type KeptRow, mayFill } from '../../demoData/demoData';
import { merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { type PageResponse } from '../../kit/pages/page';
import { removeDemoData } from '../../privacy/demoRemovals';
import { form, submit } from '../layout/forms';
import { icon } from '../layout/icons';
import { type Texts, textsFor } from '../layout/texts';
import { formPage, showPage } from './crudPages';
import { confirmButton, type MerchantVisit, showInConsole } from './frame';

/** Demo data for an empty account of the test environment, with its progress and its removal. */

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
  removeDemoData: formPage({
    ...place,
    path: '/console/demo-data/remove',
    summary: 'Removes the demo data of the merchant',
    work: ({ caller, request }) => removeDemoData(caller, request.requestId),
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
  if (demo.state === 'possible') return html`${removed(texts, demo.kept)} ${offer(visit, texts)}`;
  if (demo.state === 'done')
    return html`<p class="alert good" role="status">${t('console.demo.done')} ${overview}</p>
      ${removal(visit, texts)}`;
  if (demo.state === 'removing')
    return html`<p class="alert" role="status">${t('console.demo.removing')}</p>
      ${removal(visit, texts)}`;
  if (demo.state !== 'running')
    return html`${removed(texts, demo.kept)}
      <p class="alert">${t(`console.demo.${demo.state}`)}</p>`;
  return progress(texts, demo, overview);
}

type Progress = Extract<DemoState, { state: 'running' }>;

function progress({ t }: Texts, { stepsDone: done, steps }: Progress, overview: Html): Html {
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

function removal(visit: MerchantVisit, { t }: Texts): Html {
  const label = t('console.demo.remove');
  const question = t('console.demo.removeQuestion');
  return html`<section class="card stack">
    <h2>${label}</h2>
    <p>${t('console.demo.removeExplain')}</p>
    ${confirmButton(visit, { label, question, action: `${place.path}/remove`, name: 'remove' })}
  </section>`;
}

/** What became of the last removal. `kept`: undefined if there was none. */
function removed({ t }: Texts, kept: readonly KeptRow[] | undefined): Html {
  if (!kept) return html``;
  if (kept.length === 0) return html`<p class="alert good" role="status">${t('console.demo.removed')}</p>`;
  const links = kept.map(
    ({ kind, id, name }) =>
      html`<li>
        ${t(titleOf[kind])}: <a href="${pathOf[kind]}/${id}"><bdi>${name}</bdi></a>
      </li>`,
  );
  return html`<section class="alert stack" role="status">
    <p>${t('console.demo.removed')} ${t('console.demo.kept')}</p>
    <ul class="plain-list">
      ${links}
    </ul>
  </section>`;
}

const titleOf = {
  item: 'console.fields.item',
  account: 'console.fields.customer',
  voucher: 'console.fields.voucher',
} as const;

const pathOf: Record<KeptRow['kind'], string> = {
  item: '/console/items',
  account: '/console/customers',
  voucher: '/console/vouchers',
};

/** On the overview of an account without a sale, for those who may fill it. */
export async function demoOffer(visit: MerchantVisit, texts: Texts): Promise<Html> {
  if (!mayFill(visit.caller)) return html``;
  const demo = await getDemoState(visit.caller);
  if (demo.state === 'possible') return offer(visit, texts);
  return demo.state === 'running' ? contentOf(visit, texts, demo) : html``;
}

export function demoLink({ caller }: MerchantVisit, { t }: Texts): Html {
  return html`${mayFill(caller) && html`<li><a href="${place.path}">${t('console.demo.title')}</a></li>`}`;
}
