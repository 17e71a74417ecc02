import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { differenceEndpoints } from '../../../subscriptions/settlement/differences.endpoints';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { complaints, form, submit, textarea } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { asText } from '../fields';
import { refusedIf, showInConsole } from '../frame';
import {
  badge,
  breakable,
  type Column,
  csvAddress,
  facts,
  given,
  mayDo,
  mayDownload,
  pager,
  table,
  when,
} from '../lists';

const address = '/console/transactions/differences';

const pages = crudPages({
  address,
  auth: merchant('payments:read'),
  writing: merchant('payments:write'),
  list: differencesPage,
  one: differencePage,
});
const { getDifference, listDifferences, resolveDifference } = differenceEndpoints;

/** Differences between the books of the payment provider and those of this service. */
export const differencePages = {
  showDifferences: pages.list('Differences to the books of the payment provider'),
  showDifference: pages.show('One difference, and the actions that resolve it'),
  resolveDifferenceInConsole: pages.act('resolution')(
    'Resolves a difference',
    ({ callOnce, params, form: { action, note } }) => callOnce(resolveDifference, { params, body: { action, note } }),
    { again: differencePage, next: `${address}/{id}?done=saved` },
  ),
};

async function differencesPage(visit: Visit, { page: at, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(listDifferences, { query: given({ page: at }) });
  const title = t('console.differences.title');
  const list = table({
    title,
    rows: found.collection,
    empty: t('console.differences.none'),
    columns: columnsOf(texts),
  });
  const back = { address: '/console/transactions', text: t('console.sections.transactions') };
  const whole = html`<p class="quiet">${t('console.differences.explain')}</p>
    ${list} ${pager(visit, texts, found, { list: 'differences', query: {} })}
    ${
      mayDownload(visit) &&
      html`<p class="small">
        <a href="${csvAddress({ list: 'balance-transactions', query: {} })}" download
          >${t('console.differences.all')}</a
        >
      </p>`
    }`;
  return showInConsole(visit, { section: 'transactions', title, back, done }, whole);
}

type DifferenceRow = RowOf<typeof listDifferences>;

function columnsOf(texts: Texts): Column<DifferenceRow>[] {
  const { t, money } = texts;
  return [
    {
      title: t('console.fields.when'),
      cell: ({ id, happened_at }) => html`<a href="${address}/${id}">${when(texts, happened_at)}</a>`,
    },
    { title: t('console.fields.what'), cell: ({ kind }) => t(`console.differences.kinds.${kind}`) },
    {
      title: t('console.differences.theirs'),
      cell: ({ provider_amount, currency }) => money(provider_amount, currency),
      isNumber: true,
    },
    {
      title: t('console.differences.ours'),
      cell: ({ ledger_amount, currency }) => money(ledger_amount, currency),
      isNumber: true,
    },
    { title: t('console.fields.state'), cell: (row) => badge(texts, stateOf(row)) },
  ];
}

const stateOf = ({ resolution }: Pick<DifferenceRow, 'resolution'>) => (resolution === '' ? 'unresolved' : resolution);

type OneDifference = AnswerOf<typeof getDifference>;

async function differencePage(
  visit: VisitWith<'id'>,
  { complaint, values = {}, done }: PageState,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, money } = texts;
  const { id } = visit.params;
  const difference = await visit.call(getDifference, { params: { id } });
  const { kind, actions, provider_amount, ledger_amount, currency } = difference;
  const forms = mayDo(visit, 'payments:write')
    ? actions.map((action) => actionForm(visit, texts, { difference, action, complaint, note: asText(values['note']) }))
    : [];
  const explained = html`<section class="card stack">
    <p>${t(`console.differences.explains.${kind}`)}</p>
    ${factsOf(texts, difference)}
  </section>`;
  const back = { address, text: t('console.differences.title') };
  const title = `${t(`console.differences.kinds.${kind}`)}: ${money(Math.max(provider_amount, ledger_amount), currency)}`;
  const whole = html`${complaints(texts, complaint, ['note'])} ${explained} ${forms}`;
  return showInConsole(visit, { section: 'transactions', title, back, done }, whole, refusedIf(complaint));
}

interface ActionForm extends Pick<PageState, 'complaint'> {
  difference: OneDifference;
  action: OneDifference['actions'][number];
  note: string | undefined;
}

function actionForm(visit: Visit, texts: Texts, { difference, action, complaint, note }: ActionForm): Html {
  const { t } = texts;
  const isAccepted = action === 'accept';
  const label = t('console.differences.note');
  const content = html`<input type="hidden" name="action" value="${action}" />
    ${isAccepted && textarea(texts, { name: 'note', value: note, label, complaint, isRequired: true })}
    ${submit(t(`console.differences.actions.${action}`), { kind: action === 'refund' ? 'danger' : 'other' })}`;
  return html`<section class="card stack">
    <p>${t(`console.differences.actionHints.${action}`)}</p>
    ${form(visit, { action: `${address}/${difference.id}/resolution`, content })}
  </section>`;
}

/** Without a connected account, the payments are those of the test environment. */
const accountOf = (texts: Texts, provider: string) =>
  provider === 'sandbox' ? badge(texts, 'sandbox') : html`<code>${breakable(provider)}</code>`;

function factsOf(texts: Texts, difference: OneDifference): Html {
  const { t, money } = texts;
  const { reference, payment, transaction, provider, note, happened_at, currency } = difference;
  return facts([
    [t('console.fields.state'), badge(texts, stateOf(difference))],
    [t('console.differences.theirs'), money(difference.provider_amount, currency)],
    [t('console.differences.ours'), money(difference.ledger_amount, currency)],
    [t('console.fields.when'), when(texts, happened_at)],
    [t('console.differences.account'), accountOf(texts, provider)],
    [t('console.differences.reference'), html`<code>${breakable(reference)}</code>`],
    [t('console.differences.payment'), html`<code>${breakable(payment)}</code>`],
    [t('console.differences.transaction'), transaction === '' ? '' : html`<code>${breakable(transaction)}</code>`],
    [t('console.differences.note'), note],
  ]);
}
