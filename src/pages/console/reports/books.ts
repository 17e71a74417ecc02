import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse, type Visit } from '../../../kit/pages/page';
import { bookEndpoints } from '../../../reports/books/books.endpoints';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { fieldsOf } from '../fields';
import { inConsole, refusedIf, showInConsole } from '../frame';
import { type Column, fileOf, given, mayDo, pager, table } from '../lists';
import { asOfNote } from './asOf';

const reports = { ...inConsole, auth: merchant('reports:read'), method: 'get' } as const;
const BooksQuery = fieldsOf(['from', 'to', 'currency']);
const JournalQuery = fieldsOf(['page', 'from', 'to', 'currency', 'entry_kind', 'account']);
type Query = Record<string, string | undefined>;
type BooksVisit = Visit & { caller: Caller; query: Query };

/** The books: the accounts of the journal, its entries, and the revenue of days to come. */
export const bookPages = {
  showBooks: page({
    ...reports,
    path: '/console/reports/books',
    summary: 'The accounts of the journal and the deferred revenue',
    query: BooksQuery,
    handler: (visit) => showBooks(visit),
  }),
  showJournal: page({
    ...reports,
    path: '/console/reports/books/journal',
    summary: 'The entries of the journal',
    query: JournalQuery,
    handler: (visit) => showJournal(visit),
  }),
};

async function showBooks(visit: BooksVisit): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const outcome = await attempt(texts, () => visit.call(bookEndpoints.getTrialBalance, { query: given(visit.query) }));
  const refused = 'refused' in outcome ? outcome.refused : undefined;
  const found = 'done' in outcome ? outcome.done : undefined;
  const { from, to } = found ?? visit.query;
  const content = html`${rangeForm(texts, { from, to }, refused)} ${found && accountsOf(visit, texts, found)}
  ${found && (await deferredOf(visit, texts))}`;
  const back = { address: '/console/reports', text: t('console.sections.reports') };
  const range = new URLSearchParams(given({ from, to })).toString();
  const actions = html`<a class="button slim" href="/console/reports/books/datev?${range}"
    >${t('console.datev.title')}</a
  >`;
  return showInConsole(
    visit,
    { section: 'reports', title: t('console.books.title'), back, actions },
    content,
    refusedIf(refused),
  );
}

function rangeForm(texts: Texts, { from, to }: Query, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const labels = { from: t('console.fields.from'), to: t('console.fields.to') };
  const day = (name: 'from' | 'to', value: string | undefined) =>
    field(texts, { name, type: 'date', label: labels[name], value, complaint, isRequired: true });
  return html`<form method="get" action="/console/reports/books" class="card filters">
    ${complaints(texts, complaint, labels)} ${day('from', from)} ${day('to', to)}
    ${submit(t('console.reports.show'), { kind: 'other' })}
  </form>`;
}

type TrialBalance = AnswerOf<typeof bookEndpoints.getTrialBalance>;
type Line = RowOf<typeof bookEndpoints.getTrialBalance>;

function accountsOf(visit: BooksVisit, texts: Texts, found: TrialBalance): Html {
  const { from, to, collection } = found;
  const { t, money, calendarDay } = texts;
  const entries = (line: Line) => {
    const query = new URLSearchParams({ from, to, account: line.account, currency: line.currency });
    return html`<a href="/console/reports/books/journal?${query.toString()}"
      >${named(texts, 'accounts', line.account)}</a
    >`;
  };
  const amount = (title: string, read: (line: Line) => number): Column<Line> => ({
    title,
    cell: (line) => money(read(line), line.currency),
    isNumber: true,
  });
  const columns: Column<Line>[] = [
    { title: t('console.books.account'), cell: entries },
    { title: t('console.books.class'), cell: (line) => t(`console.books.classes.${line.class}`) },
    amount(t('console.books.opening'), ({ opening }) => opening),
    amount(t('console.books.debit'), ({ debit }) => debit),
    amount(t('console.books.credit'), ({ credit }) => credit),
    amount(t('console.books.closing'), ({ closing }) => closing),
  ];
  const hint = t('console.books.hint', { from: calendarDay(from), to: calendarDay(to) });
  return html`<section class="stack">
    <p class="quiet small">${hint}</p>
    ${asOfNote(texts, found)}
    ${table({ title: t('console.books.trialBalance'), columns, rows: collection, empty: t('console.books.none') })}
    ${fileOf(visit, texts, collection, { list: 'journal', query: { from, to } })}
  </section>`;
}

/** The deferred revenue now, whatever the range of the accounts. */
async function deferredOf(visit: BooksVisit, texts: Texts): Promise<Html> {
  const { t, money, calendarDay, locale } = texts;
  const { to, collection } = await visit.call(bookEndpoints.getDeferredRevenue, { query: {} });
  if (collection.length === 0) return html``;
  const name = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const listOf = ({ currency, deferred, months }: (typeof collection)[number]) =>
    html`<p class="strong">${money(deferred, currency)}</p>
      <ul class="entries">
        ${months.map(
          ({ month, amount }) =>
            html`<li>
              <span>${name.format(Date.parse(`${month}-01`))}</span> <span class="end">${money(amount, currency)}</span>
            </li>`,
        )}
      </ul>`;
  return html`<section class="card stack">
    <h2>${t('console.accounts.deferred_revenue')}</h2>
    <p class="quiet small">${t('console.books.deferredHint', { day: calendarDay(to) })}</p>
    ${collection.map(listOf)}
  </section>`;
}

async function showJournal(visit: BooksVisit): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, money, calendarDay } = texts;
  const found = await visit.call(bookEndpoints.listJournal, { query: given(visit.query) });
  const columns: Column<(typeof found.collection)[number]>[] = [
    { title: t('console.books.day'), cell: ({ day }) => calendarDay(day) },
    { title: t('console.fields.what'), cell: (entry) => entryName(visit, texts, entry) },
    { title: t('console.books.debit'), cell: (entry) => named(texts, 'accounts', entry.debit_account) },
    { title: t('console.books.credit'), cell: (entry) => named(texts, 'accounts', entry.credit_account) },
    { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
  ];
  const account = visit.query['account'];
  const title = account ? named(texts, 'accounts', account) : t('console.books.journal');
  const list = table({ title, columns, rows: found.collection, empty: t('console.books.none') });
  const file = { list: 'journal', query: { ...visit.query, page: undefined } } as const;
  const back = { address: '/console/reports/books', text: t('console.books.title') };
  return showInConsole(
    visit,
    { section: 'reports', title, back },
    html`${asOfNote(texts, found)} ${list} ${pager(visit, texts, found, file)}`,
  );
}

function entryName(
  visit: Visit,
  texts: Texts,
  { kind, trx_token: token }: RowOf<typeof bookEndpoints.listJournal>,
): Html {
  const name = named(texts, 'entryKinds', kind);
  if (token === '' || !mayDo(visit, 'payments:write')) return html`${name}`;
  return html`<a href="/console/transactions/${token}/refund">${name}</a>`;
}
