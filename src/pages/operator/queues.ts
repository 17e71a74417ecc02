import { z } from 'zod';
import { html, type Html, type Written } from '../../kit/html';
import { page, type PageResponse, type Visit } from '../../kit/pages/page';
import { operatorEndpoints } from '../../operator/operator.endpoints';
import { type AnswerOf, type RowOf } from '../layout/answers';
import { breakable, pager, table, when } from '../layout/lists';
import { named, type Texts, textsFor } from '../layout/texts';
import { inOperator, showInOperator } from './frame';
import { messagesPath } from './messages';

export const operatorQueuePages = {
  showQueues: page({
    ...inOperator,
    method: 'get',
    path: '/operator/waiting',
    summary: 'The queues of the installation',
    handler: (visit) => queuesPage(visit),
  }),
  showOperatorActions: page({
    ...inOperator,
    method: 'get',
    path: '/operator/actions',
    summary: 'The audit log of the operators',
    query: z.object({ page: z.string().optional() }),
    handler: (visit) => actionsPage(visit),
  }),
};

/** Stands where there is no value. */
const nothing = '–';

async function queuesPage(visit: Visit): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const { outbox, mails, webhooks, runs } = await visit.call(operatorEndpoints.getQueues);
  const rows = [
    { name: t('operator.outbox'), ...outbox },
    { name: t('operator.mails'), ...mails },
    { name: t('operator.webhooks'), ...webhooks, parked: webhooks.failed_last_day },
  ];
  const queues = table({
    title: t('operator.sections.queues'),
    rows,
    empty: '',
    columns: [
      { title: t('operator.queue'), cell: ({ name }) => name },
      { title: t('operator.waiting'), cell: ({ waiting }) => number(waiting), isNumber: true },
      {
        title: t('operator.oldest'),
        cell: ({ waiting, oldest_seconds }) => ageOf(texts, waiting, oldest_seconds),
        isNumber: true,
      },
      { title: t('operator.givenUp'), cell: ({ parked }) => number(parked), isNumber: true },
    ],
  });
  const place = { section: 'queues', title: t('operator.sections.queues') } as const;
  const content = html`<p class="quiet">${t('operator.queuesHint')}</p>
    ${queues}
    ${outbox.parked > 0 && html`<p><a href="${messagesPath}">${t('operator.refused.open', { count: outbox.parked })}</a></p>`}
    ${mails.postponed > 0 && html`<p>${t('operator.postponedMails', { count: mails.postponed })}</p>`}
    ${webhooks.disabled_endpoints > 0 && html`<p>${t('operator.disabledEndpoints', { count: webhooks.disabled_endpoints })}</p>`}
    <h2>${t('operator.runs')}</h2>
    ${runTable(texts, runs)}`;
  return showInOperator(visit, place, content);
}

type Runs = AnswerOf<typeof operatorEndpoints.getQueues>['runs'];

function runTable(texts: Texts, runs: Runs): Html {
  const { t, number } = texts;
  return table({
    title: t('operator.runs'),
    rows: runs,
    empty: t('operator.noRuns'),
    columns: [
      { title: t('operator.workflow'), cell: ({ workflow }) => named(texts, 'workflows', workflow) },
      { title: t('operator.overdue'), cell: ({ overdue: count }) => number(count), isNumber: true },
      {
        title: t('operator.oldest'),
        cell: ({ overdue: count, oldest_seconds }) => ageOf(texts, count, oldest_seconds),
        isNumber: true,
      },
      {
        title: t('operator.missing'),
        cell: ({ missing }) => (missing === null ? nothing : number(missing)),
        isNumber: true,
      },
    ],
  });
}

const ageOf = ({ t }: Texts, count: number, seconds: number): string =>
  count === 0 ? nothing : t('operator.minutes', { count: Math.round(seconds / 60) });

async function actionsPage(visit: Visit & { query: { page?: string | undefined } }): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { page: at } = visit.query;
  const found = await visit.call(operatorEndpoints.listOperatorActions, {
    query: at === undefined ? {} : { page: at },
  });
  const list = table({
    title: t('operator.sections.actions'),
    rows: found.collection,
    empty: t('console.audit.none'),
    columns: [
      { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
      { title: t('console.fields.what'), cell: ({ action }) => named(texts, 'events', action) },
      {
        title: t('console.audit.object'),
        cell: objectOf(texts),
      },
      { title: t('console.audit.actor'), cell: ({ operator_email: email }) => breakable(email) },
      { title: t('console.audit.from'), cell: ({ address }) => address ?? '' },
    ],
  });
  const place = { section: 'actions', title: t('operator.sections.actions') } as const;
  return showInOperator(visit, place, html`${list} ${pager(visit, texts, found)}`);
}

type Action = RowOf<typeof operatorEndpoints.listOperatorActions>;

/** The object of an action. Nothing for the operator's own account: the actor is beside it. */
const objectOf =
  (texts: Texts) =>
  ({ object_type: type, object_id: id, operator_id }: Action): Written => {
    if (type === 'account' && id === String(operator_id)) return '';
    const name = `${named(texts, 'objects', type)} ${id}`;
    return type === 'merchant' ? html`<a href="/operator/shops/${id}">${name}</a>` : name;
  };
