import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { reportScheduleEndpoints } from '../../../reports/schedules.endpoints';
import { cadences, reports, type RecipientState } from '../../../reports/schedules';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { filled, type Values, words } from '../fields';
import { confirmButton, refusedIf, showInConsole } from '../frame';
import { fileOf, mayUse, table } from '../lists';

const address = '/console/reports/schedules';
const pages = crudPages({
  address,
  feature: 'scheduled_reports',
  auth: merchant('reports:read'),
  list: schedulesPage,
  one: schedulePage,
});
const { createReportSchedule, deleteReportSchedule, getReportSchedule, listReportSchedules, updateReportSchedule } =
  reportScheduleEndpoints;

const languages = [
  ['en', 'English'],
  ['ar', 'العربية'],
] as const;

/** Scheduled reports, which are mailed every day, week or month. */
export const reportSchedulePages = {
  showReportSchedules: pages.list('The scheduled reports'),
  createReportScheduleInConsole: pages.create('Schedules a report', ({ call, form }) =>
    call(createReportSchedule, { body: sentBy(form) }),
  ),
  showReportSchedule: pages.show('One scheduled report'),
  updateReportScheduleInConsole: pages.update('Changes a scheduled report', ({ call, params, form }) =>
    call(updateReportSchedule, { params, body: sentBy(form) }),
  ),
  deleteReportScheduleInConsole: pages.delete('Deletes a scheduled report', ({ call, params }) =>
    call(deleteReportSchedule, { params }),
  ),
};

const sentBy = ({ recipients, ...others }: Values) => ({ ...others, recipients: words(recipients) });

async function schedulesPage(visit: Visit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, series } = texts;
  const { collection } = await visit.call(listReportSchedules);
  const list = table({
    title: t('console.schedules.title'),
    rows: collection,
    empty: t('console.schedules.none'),
    columns: [
      {
        title: t('console.schedules.report'),
        cell: ({ id, report }) => html`<a href="${address}/${id}">${named(texts, 'schedules.reports', report)}</a>`,
      },
      { title: t('console.schedules.cadence'), cell: (row) => named(texts, 'schedules.cadences', row.cadence) },
      { title: t('console.schedules.time'), cell: ({ hour, time_zone }) => series([`${hour}:00`, time_zone]) },
      { title: t('console.schedules.recipients'), cell: (row) => answersOf(texts, row) },
    ],
  });
  const content = html`${fieldsOf(texts, values, complaint)} ${submit(t('console.schedules.create'))}`;
  const whole = html`${list} ${fileOf(visit, texts, collection, { list: 'report-schedules', query: {} })}
  ${
    mayUse(visit, createReportSchedule) &&
    html`<section class="card stack">
      <h2>${t('console.schedules.create')}</h2>
      ${form(visit, { action: address, content, name: 'schedule' })}
    </section>`
  }`;
  const back = { address: '/console/reports', text: t('console.sections.reports') };
  const place = { section: 'reports', title: t('console.schedules.title'), back, done } as const;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

async function schedulePage(visit: VisitWith<'id'>, { complaint, values, done }: PageState): Promise<PageResponse> {
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(getReportSchedule, { params: { id } });
  const { report, cadence, time_zone, language, recipients } = found;
  const shown = values ?? { report, cadence, time_zone, language, recipients: recipients.join(', ') };
  const content = html`${fieldsOf(texts, shown, complaint)} ${submit(t('common.save'))}`;
  const own = `${address}/${id}`;
  const question = t('console.schedules.deleteQuestion');
  const whole = html`<section class="card stack">
      <h2>${t('console.schedules.answers')}</h2>
      ${answersOf(texts, found)}
    </section>
    <section class="card stack">${form(visit, { action: own, content, name: 'schedule' })}</section>`;
  const actions =
    mayUse(visit, deleteReportSchedule) &&
    confirmButton(visit, { action: `${own}/delete`, label: t('console.delete'), question });
  const back = { address, text: t('console.schedules.title') };
  const title = named(texts, 'schedules.reports', report);
  return showInConsole(visit, { section: 'reports', title, back, actions, done }, whole, refusedIf(complaint));
}

interface Recipient {
  address: string;
  state: RecipientState;
}

const kindOf: Record<RecipientState, string> = { awaiting_confirmation: 'warn', confirmed: 'good', stopped: 'bad' };

/** The recipients, each with what it has answered. */
function answersOf(texts: Texts, { recipient_states: recipients }: { recipient_states: readonly Recipient[] }): Html {
  const rows = recipients.map(
    ({ address: to, state }) =>
      html`<li>
        ${to} <span class="badge ${kindOf[state]}">${named(texts, 'schedules.recipientStates', state)}</span>
      </li>`,
  );
  return html`<ul class="plain-list">
    ${rows}
  </ul>`;
}

function fieldsOf(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = (name: string) => ({ ...filled(values, complaint)(name), isRequired: true });
  return html`${complaints(texts, complaint, ['report', 'cadence', 'recipients', 'time_zone', 'language'])}
  ${select(texts, {
    ...known('report'),
    label: t('console.schedules.report'),
    choices: reports.map((name) => [name, t(`console.schedules.reports.${name}`)] as const),
  })}
  ${select(texts, {
    ...known('cadence'),
    label: t('console.schedules.cadence'),
    choices: cadences.map((name) => [name, t(`console.schedules.cadences.${name}`)] as const),
  })}
  ${field(texts, {
    ...known('recipients'),
    label: t('console.schedules.recipients'),
    hint: t('console.schedules.recipientsHint'),
  })}
  ${field(texts, {
    ...known('time_zone'),
    value: known('time_zone').value ?? 'UTC',
    label: t('console.schedules.timeZone'),
    hint: t('console.schedules.timeZoneHint'),
  })}
  ${select(texts, { ...known('language'), value: known('language').value ?? texts.language, label: t('common.language'), choices: languages })}`;
}
