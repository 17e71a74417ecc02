import { dataCaptureEndpoints } from '../../../accounts/dataCaptures/endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page } from '../../../kit/pages/page';
import { type Texts, textsFor } from '../../layout/texts';
import { inConsole, ListQuery, showInConsole } from '../frame';
import { breakable, day, given, pager, table, tabs } from '../lists';

/** Who left an address for an item that asks for no more. */
export const addressPages = {
  showAddresses: page({
    ...inConsole,
    auth: merchant('accounts:read'),
    method: 'get',
    path: '/console/addresses',
    summary: 'Who left an address',
    query: ListQuery,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const query = given({ page: visit.query.page });
      const found = await visit.call(dataCaptureEndpoints.listDataCaptures, { query });
      const list = table({
        title: t('console.customers.addresses'),
        rows: found.collection,
        empty: t('console.customers.noAddresses'),
        columns: [
          { title: t('common.email'), cell: ({ email }) => breakable(email) },
          { title: t('common.fullName'), cell: ({ full_name }) => full_name },
          { title: t('console.customers.company'), cell: ({ company }) => company },
          { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
        ],
      });
      const place = { section: 'customers', title: t('console.sections.customers') } as const;
      const whole = html`${customerTabs(texts, '/console/addresses')} ${list}
      ${pager(visit, texts, found, { list: 'data-captures', query: {} })}`;
      return showInConsole(visit, place, whole);
    },
  }),
};

export function customerTabs({ t }: Texts, current: string): Html {
  const pages = {
    '/console/customers': t('console.customers.accounts'),
    '/console/addresses': t('console.customers.addresses'),
  };
  return tabs(t('console.sections.customers'), pages, current);
}
