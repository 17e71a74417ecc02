import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type PageResponse, type Visit } from '../../../kit/pages/page';
import { datevEndpoints } from '../../../reports/datev/datev.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState } from '../crudPages';
import { fieldsOf, filled, type Values } from '../fields';
import { folded, formCard, inConsole, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { given, mayDo, mayDownload } from '../lists';

const address = '/console/reports/books/datev';
const { exportDatev, getDatevSettings, setDatevSettings } = datevEndpoints;

type Query = Record<string, string | undefined>;

/** The file of the journal for DATEV, and the numbers in it. */
export const datevPages = {
  showDatev: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: address,
    summary: 'The file of the journal for DATEV, and the numbers in it',
    query: fieldsOf(['from', 'to', 'currency', 'file', 'done']),
    handler: (visit) => showDatev(visit),
  }),
  saveDatevNumbers: formPage({
    auth: merchant('settings:write'),
    path: address,
    summary: 'Sets the numbers for DATEV',
    work: ({ call, form }) => call(setDatevSettings, { body: bodyOf(form) }),
    again: (visit, state) => datevPage(visit, { numbers: state }),
    next: `${address}?done=saved`,
  }),
};

/** The button of the range sends `file`. A refused range is shown with its errors. */
async function showDatev(visit: Visit & { caller: Caller; query: Query }): Promise<PageResponse> {
  const { from, to, currency, file, done } = visit.query;
  const range = { from, to, currency };
  if (file === undefined) return datevPage(visit, { range, done });
  const outcome = await attempt(textsFor(visit), () => visit.file(exportDatev, { query: given(range) }));
  return 'done' in outcome ? outcome.done : datevPage(visit, { range, refused: outcome.refused });
}

interface View {
  range?: Query;
  /** Why there is no file. */
  refused?: Complaint | undefined;
  /** The sent numbers that were refused. */
  numbers?: PageState;
  done?: string | undefined;
}

async function datevPage(
  visit: MerchantVisit,
  { range = {}, refused, numbers = {}, done }: View,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = await visit.call(getDatevSettings);
  const isKnown = stored.consultant_number !== null;
  const form = numberFields(texts, stored, numbers);
  const content = html`<p class="quiet">${t('console.datev.explain')}</p>
    ${isKnown && mayDownload(visit) ? rangeForm(texts, range, refused) : complaints(texts, refused, [])}
    ${
      mayDo(visit, 'settings:write')
        ? formCard(visit, address, form, t('console.datev.numbers'))
        : !isKnown && html`<p class="card empty">${t('console.datev.unknown')}</p>`
    }`;
  const back = { address: '/console/reports/books', text: t('console.books.title') };
  const place = { section: 'reports', title: t('console.datev.title'), back, done } as const;
  return showInConsole(visit, place, content, refusedIf(refused ?? numbers.complaint));
}

function rangeForm(texts: Texts, { from, to, currency = 'EUR' }: Query, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const labels = {
    from: t('console.fields.from'),
    to: t('console.fields.to'),
    currency: t('console.fields.currency'),
  };
  const known = { complaint, isRequired: true } as const;
  return html`<form method="get" action="${address}" class="card filters">
    ${complaints(texts, complaint, labels)}
    ${field(texts, { name: 'from', type: 'date', label: labels.from, value: from, ...known })}
    ${field(texts, { name: 'to', type: 'date', label: labels.to, value: to, ...known })}
    ${field(texts, { name: 'currency', label: labels.currency, value: currency, maxlength: 3, ...known })}
    ${submit(t('console.datev.file'), { name: 'file', value: '1' })}
  </form>`;
}

type Settings = AnswerOf<typeof getDatevSettings>;
const fieldOf = (account: string) => `account_numbers.${account}`;

/** The body of the endpoint: the own numbers are one object in it. */
function bodyOf(form: Values): Values {
  const own = Object.entries(form).flatMap(([name, value]) => {
    const account = /^account_numbers\.(\w+)$/.exec(name)?.[1];
    return account === undefined ? [] : [[account, value] as const];
  });
  return { ...form, account_numbers: Object.fromEntries(own) };
}

function numberFields(texts: Texts, stored: Settings, { complaint, values }: PageState): Html {
  const { t, locale } = texts;
  const own = stored.accounts.map(({ account, own_number }) => [fieldOf(account), own_number] as const);
  const known = filled(values ?? { ...stored, ...Object.fromEntries(own) }, complaint);
  const labels = {
    consultant_number: t('console.datev.consultant'),
    client_number: t('console.datev.client'),
    chart: t('console.datev.chart'),
    account_length: t('console.datev.length'),
    fiscal_year_month: t('console.datev.yearStart'),
  };
  const names = stored.accounts.map(({ account }) => [fieldOf(account), named(texts, 'accounts', account)] as const);
  const month = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  const months = Array.from(
    { length: 12 },
    (_none, index) => [String(index + 1), month.format(Date.UTC(2026, index))] as const,
  );
  const charts = [['skr03', 'SKR03'] as const, ['skr04', 'SKR04'] as const];
  const digits = { inputmode: 'numeric', isRequired: true } as const;
  const isOpen = own.some(([name, number]) => number !== '' || complaint?.fields[name] !== undefined);
  return html`${complaints(texts, complaint, { ...labels, ...Object.fromEntries(names) })}
  ${field(texts, { ...known('consultant_number'), label: labels.consultant_number, hint: t('console.datev.consultantHint'), maxlength: 7, ...digits })}
  ${field(texts, { ...known('client_number'), label: labels.client_number, hint: t('console.datev.clientHint'), maxlength: 5, ...digits })}
  ${select(texts, { ...known('chart'), label: labels.chart, hint: t('console.datev.chartHint'), choices: charts, isRequired: true })}
  ${field(texts, { ...known('account_length'), label: labels.account_length, hint: t('console.datev.lengthHint'), maxlength: 1, ...digits })}
  ${select(texts, { ...known('fiscal_year_month'), label: labels.fiscal_year_month, hint: t('console.datev.yearStartHint'), choices: months, isRequired: true })}
  ${folded(t('console.datev.own'), ownFields(texts, stored, known), isOpen)} ${submit(t('common.save'))}`;
}

function ownFields(texts: Texts, { accounts }: Settings, known: ReturnType<typeof filled>): Html {
  const { t } = texts;
  const fields = accounts.map(({ account, chart_numbers: numbers }) =>
    field(texts, {
      ...known(fieldOf(account)),
      label: named(texts, 'accounts', account),
      hint: t('console.datev.chartNumbers', numbers),
      inputmode: 'numeric',
      maxlength: 9,
    }),
  );
  return html`<div class="stack">
    <p class="quiet small">${t('console.datev.ownHint')}</p>
    <div class="halves wide">${fields}</div>
  </div>`;
}
