import { dataCaptureEndpoints } from '../../../entitlements/dataCaptures.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { showInConsole } from '../frame';
import { breakable, day, emptyBeforeSales, given, pager, table, tabs } from '../lists';

const address = '/console/addresses';
export const undeliveredAddress = '/console/customers/emails';
const pages = crudPages({ address, auth: merchant('accounts:read'), list: addressesPage });

/** The addresses that visitors left to open a `DataCapture` item. */
export const addressPages = { showAddresses: pages.list('The captured addresses') };

async function addressesPage(visit: Visit, { page }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(dataCaptureEndpoints.listDataCaptures, { query: given({ page }) });
  const list = table({
    title: t('console.customers.addresses'),
    rows: found.collection,
    empty: emptyBeforeSales(visit, texts, t('console.customers.noAddresses')),
    columns: [
      { title: t('common.email'), cell: ({ email }) => breakable(email) },
      { title: t('common.fullName'), cell: ({ full_name }) => full_name },
      { title: t('console.customers.company'), cell: ({ company }) => company },
      { title: t('console.fields.createdAt'), cell: ({ created_at }) => day(texts, created_at) },
    ],
  });
  const place = { section: 'customers', title: t('console.sections.customers') } as const;
  const whole = html`${customerTabs(texts, address)} ${list}
  ${pager(visit, texts, found, { list: 'data-captures', query: {} })}`;
  return showInConsole(visit, place, whole);
}

export function customerTabs({ t }: Texts, current: string): Html {
  const pages = {
    '/console/customers': t('console.customers.accounts'),
    [address]: t('console.customers.addresses'),
    [undeliveredAddress]: t('console.undelivered.title'),
  };
  return tabs(t('console.sections.customers'), pages, current);
}
