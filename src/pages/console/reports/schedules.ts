import { z } from 'zod';
import { mayCall, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { reportScheduleEndpoints } from '../../../reports/schedules/endpoints';
import { cadences, reports } from '../../../reports/schedules/service';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, words } from '../fields';
import { carryOut, asking, IdPath, inConsole, listQuery, named, showInConsole } from '../frame';
import { table, fileOf } from '../lists';

/** Reports that are mailed every day, week or month. */
const address = '/console/reports/schedules';
const changing = {
  ...inConsole,
  feature: 'scheduled_reports',
  auth: merchant('reports:read'),
  method: 'post',
} as const;
const reading = { ...inConsole, feature: 'scheduled_reports', auth: merchant('reports:read'), method: 'get' } as const;

const languages = [
  ['en', 'English'],
  ['ar', 'العربية'],
] as const;
type Values = Record<string, string | undefined>;

export const reportSchedulePages = {
  showReportSchedules: page({
    ...reading,
    path: address,
    summary: 'The reports that are mailed',
    query: z.object(listQuery),
    handler: (visit) => schedulesPage(visit, { done: visit.query.done }),
  }),
  createReportScheduleInConsole: page({
    ...changing,
    path: address,
    summary: 'Has a report mailed',
    form: AnyForm,
    handler: async (visit) => {
      const body = sentBy(visit.form);
      const asked = () => visit.call(reportScheduleEndpoints.createReportSchedule, { body });
      return carryOut(visit, {
        work: asked,
        again: (complaint) => schedulesPage(visit, { complaint, values: visit.form }),
        next: `${address}?done=created`,
      });
    },
  }),
  showReportSchedule: page({
    ...reading,
    path: `${address}/{id}`,
    summary: 'One report that is mailed',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => schedulePage(visit, visit.params.id, { done: visit.query.done }),
  }),
  updateReportScheduleInConsole: page({
    ...changing,
    path: `${address}/{id}`,
    summary: 'Changes what is mailed, when, and to whom',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { params } = visit;
      const body = sentBy(visit.form);
      const asked = () => visit.call(reportScheduleEndpoints.updateReportSchedule, { params, body });
      return carryOut(visit, {
        work: asked,
        again: (complaint) => schedulePage(visit, params.id, { complaint, values: visit.form }),
        next: `${address}?done=saved`,
      });
    },
  }),
  deleteReportScheduleInConsole: page({
    ...changing,
    path: `${address}/{id}/delete`,
    summary: 'Mails a report no more',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(reportScheduleEndpoints.deleteReportSchedule, { params: visit.params });
      return new Redirect(`${address}?done=deleted`);
    },
  }),
};

const sentBy = ({ recipients, ...others }: Values) => ({ ...others, recipients: words(recipients) });

interface Tried {
  complaint?: Complaint;
  values?: Values;
  done?: string | undefined;
}

async function schedulesPage(visit: Visit, { complaint, values = {}, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(reportScheduleEndpoints.listReportSchedules);
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
      { title: t('console.schedules.time'), cell: ({ hour, time_zone }) => `${hour}:00, ${time_zone}` },
      { title: t('console.schedules.recipients'), cell: ({ recipients }) => recipients.join(', ') },
    ],
  });
  const content = html`${fieldsOf(texts, values, complaint)} ${submit(t('console.schedules.create'))}`;
  const whole = html`${list} ${fileOf(visit, texts, collection, { list: 'report-schedules', query: {} })}
  ${
    mayChange(visit)
      ? html`<section class="card stack">
          <h2>${t('console.schedules.create')}</h2>
          ${form(visit, { action: address, content, name: 'schedule' })}
        </section>`
      : ''
  }`;
  const back = { address: '/console/reports', text: t('console.sections.reports') };
  const place = { section: 'reports', title: t('console.schedules.title'), back, done } as const;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

async function schedulePage(visit: Visit, id: string, { complaint, values, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(reportScheduleEndpoints.getReportSchedule, { params: { id } });
  const { report, cadence, time_zone, language, recipients } = found;
  const shown = values ?? { report, cadence, time_zone, language, recipients: recipients.join(', ') };
  const content = html`${fieldsOf(texts, shown, complaint)} ${mayChange(visit) ? submit(t('common.save')) : ''}`;
  const own = `${address}/${id}`;
  const question = t('console.schedules.deleteQuestion');
  const whole = html`<section class="card stack">
    ${form(visit, { action: own, content, name: 'schedule' })}
    ${mayChange(visit) ? asking(visit, { action: `${own}/delete`, label: t('console.delete'), question }) : ''}
  </section>`;
  const back = { address, text: t('console.schedules.title') };
  const title = named(texts, 'schedules.reports', report);
  return showInConsole(visit, { section: 'reports', title, back, done }, whole, complaint ? { status: 422 } : {});
}

const mayChange = ({ caller }: Visit) => caller !== undefined && mayCall(changing.auth, caller);

function fieldsOf(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = (name: string) => ({ name, value: values[name], complaint, isRequired: true });
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
    value: values['time_zone'] ?? 'UTC',
    label: t('console.schedules.timeZone'),
    hint: t('console.schedules.timeZoneHint'),
  })}
  ${select(texts, { ...known('language'), value: values['language'] ?? texts.language, label: t('common.language'), choices: languages })}`;
}
