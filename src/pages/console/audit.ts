import { z } from 'zod';
import { auditEndpoints } from '../../audit/endpoints';
import { merchant } from '../../kit/auth';
import { html } from '../../kit/html';
import { page } from '../../kit/pages/page';
import { field, submit } from '../layout/forms';
import { textsFor } from '../layout/texts';
import { inConsole, listQuery, named, showInConsole } from './frame';
import { given, pager, table, when } from './lists';

export const auditPages = {
  showAudit: page({
    ...inConsole,
    auth: merchant('accounts:read'),
    method: 'get',
    path: '/console/audit',
    summary: 'Who did what',
    query: z.object({ ...listQuery, action: z.string().optional() }),
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { page: at, action } = visit.query;
      const found = await visit.call(auditEndpoints.listAudit, { query: given({ page: at, action }) });
      const filter = html`<form method="get" action="/console/audit" class="card filters" role="search">
        ${field(texts, { name: 'action', value: action, label: t('console.fields.what'), placeholder: 'account.create', isRequired: true })}
        ${submit(t('common.search'), { kind: 'other' })}
      </form>`;
      const list = table({
        title: t('console.sections.audit'),
        rows: found.collection,
        empty: t('console.audit.none'),
        columns: [
          { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
          { title: t('console.fields.what'), cell: (row) => named(texts, 'events', row.action) },
          { title: t('console.audit.object'), cell: (row) => html`<code>${row.object_type} ${row.object_id}</code>` },
          {
            title: t('console.audit.actor'),
            cell: ({ actor_account_id, acted_by }) =>
              html`${actor_account_id}${acted_by === null ? '' : html` <span class="quiet small">${t('console.audit.by')} ${acted_by}</span>`}`,
          },
          { title: t('console.audit.from'), cell: ({ address }) => address ?? '' },
        ],
      });
      const place = { section: 'audit', title: t('console.sections.audit') } as const;
      return showInConsole(visit, place, html`${filter} ${list} ${pager(visit, texts, found)}`);
    },
  }),
};
