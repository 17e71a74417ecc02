import { z } from 'zod';
import { sessionEndpoints } from '../../accounts/tokens/sessions.endpoints';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type Visit } from '../../kit/pages/page';
import { sessionList } from '../customer/sessions';
import { confirmButton } from '../layout/forms';
import { pager } from '../layout/lists';
import { type Texts } from '../layout/texts';
import { inOperator, securityPath } from './frame';

/** The sessions of an operator. */

const sessions = `${securityPath}/sessions`;
const changed = () => new Redirect(`${securityPath}?done=changed`);

export const operatorSessionPages = {
  endOtherOperatorSessions: page({
    ...inOperator,
    method: 'post',
    path: `${sessions}/end-others`,
    summary: 'Ends the other sessions of the operator',
    handler: async (visit) => {
      await visit.call(sessionEndpoints.endOtherSessions);
      return changed();
    },
  }),
  endOperatorSession: page({
    ...inOperator,
    method: 'post',
    path: `${sessions}/{session_id}/end`,
    params: z.object({ session_id: z.string() }),
    summary: 'Ends a session of the operator',
    handler: async (visit) => {
      await visit.call(sessionEndpoints.endSession, { params: visit.params });
      return changed();
    },
  }),
};

export async function sessionSection(visit: Visit, texts: Texts, shownPage: string | undefined): Promise<Html> {
  const { t } = texts;
  const found = await visit.call(sessionEndpoints.listSessions, { query: { page: shownPage, limit: '20' } });
  const others = { label: t('sessions.endOthers'), question: t('sessions.endOthersQuestion') };
  return html`<section class="stack">
    <h2>${t('sessions.title')}</h2>
    ${sessionList(visit, texts, { rows: found.collection, endAt: (id) => `${sessions}/${id}/end` })}
    ${found.total > found.limit && pager(visit, texts, found)}
    ${found.total > 1 && confirmButton(visit, { ...others, action: `${sessions}/end-others`, name: 'end-others' })}
  </section>`;
}
