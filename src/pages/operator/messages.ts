import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { operatorEndpoints } from '../../operator/operator.endpoints';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, confirmButton, form, submit } from '../layout/forms';
import { pager, table, when } from '../layout/lists';
import { textsFor, type Texts } from '../layout/texts';
import { inOperator, showInOperator } from './frame';

export const messagesPath = '/operator/refused';

const text = z.string().optional();
type Message = AnswerOf<typeof operatorEndpoints.listRefusedMessages>['collection'][number];

const decision = { ...inOperator, method: 'post', params: z.object({ id: z.string() }) } as const;

export const operatorMessagePages = {
  showRefusedMessages: page({
    ...inOperator,
    method: 'get',
    path: messagesPath,
    summary: 'The messages that Temporal has refused, with the operator’s actions',
    query: z.object({ page: text, done: text }),
    handler: (visit) => messagesPage(visit, visit.query),
  }),
  sendMessageByForm: page({
    ...decision,
    path: `${messagesPath}/{id}/send`,
    summary: 'Sends a refused message again',
    handler: (visit) =>
      carryOut(visit, () => visit.callOnce(operatorEndpoints.sendRefusedMessage, { params: visit.params }), 'sent'),
  }),
  discardMessageByForm: page({
    ...decision,
    path: `${messagesPath}/{id}/discard`,
    summary: 'Deletes a refused message',
    handler: (visit) =>
      carryOut(
        visit,
        () => visit.callOnce(operatorEndpoints.discardRefusedMessage, { params: visit.params }),
        'discarded',
      ),
  }),
};

/** A message that is gone needs no decision. The list says so. */
async function carryOut(visit: Visit, decide: () => Promise<unknown>, done: string) {
  const outcome = await attempt(textsFor(visit), decide);
  if ('done' in outcome) return new Redirect(`${messagesPath}?done=${done}`);
  if (outcome.error.status !== 404) throw outcome.error;
  return messagesPage(visit, {}, outcome.refused);
}

interface ListQuery {
  page?: string | undefined;
  done?: string | undefined;
}

async function messagesPage(visit: Visit, { page: at, done }: ListQuery, complaint?: Complaint): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t, number } = texts;
  const found = await visit.call(operatorEndpoints.listRefusedMessages, {
    query: at === undefined ? {} : { page: at },
  });
  const list = table({
    title: t('operator.refused.title'),
    rows: found.collection,
    empty: t('operator.refused.none'),
    columns: [
      { title: t('operator.refused.run'), cell: runLink },
      { title: t('operator.refused.message'), cell: ({ signal }) => html`<code>${signal ?? 'start'}</code>` },
      { title: t('operator.refused.error'), cell: ({ error }) => html`<bdi>${error ?? ''}</bdi>` },
      { title: t('operator.refused.attempts'), cell: ({ attempts }) => number(attempts), isNumber: true },
      { title: t('operator.refused.since'), cell: ({ refused_at: at }) => when(texts, at) },
      { title: t('operator.refused.decision'), cell: (message) => decisions(visit, texts, message) },
    ],
  });
  const back = { address: '/operator/waiting', text: t('operator.sections.queues') };
  const place = { section: 'queues', title: t('operator.refused.title'), back, done } as const;
  const content = html`${complaints(texts, complaint, [])}
    <p class="quiet">${t('operator.refused.hint')}</p>
    ${list} ${pager(visit, texts, found)}`;
  return showInOperator(visit, place, content, complaint ? { status: 404 } : {});
}

function runLink({ workflow_id: id, workflow_url: url }: Message): Html {
  return url === '' ? html`<code>${id}</code>` : html`<a href="${url}"><code>${id}</code></a>`;
}

function decisions(visit: Visit, { t }: Texts, { id }: Message): Html {
  const send = form(visit, {
    action: `${messagesPath}/${id}/send`,
    content: submit(t('operator.refused.send'), { kind: 'slim' }),
    name: `send-${id}`,
  });
  const discard = confirmButton(visit, {
    label: t('operator.refused.discard'),
    question: t('operator.refused.discardQuestion'),
    action: `${messagesPath}/${id}/discard`,
    name: `discard-${id}`,
  });
  return html`<div class="row">${send} ${discard}</div>`;
}
