import { grantEndpoints } from '../../../customers/grants.endpoints';
import { purchaseEndpoints } from '../../../customers/purchases.endpoints';
import { html, type Html } from '../../../kit/html';
import { lastUnixSecond } from '../../../kit/time';
import { type RowOf } from '../../layout/answers';
import { complaints, form, select, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { type PageState, type VisitWith } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, folded } from '../frame';
import { badge, day, fileOf, mayDo, mayUse, table } from '../lists';
import { extensionFieldNames, extensionFields } from './extensions';
import { grantFieldNames, grantFields } from './grants';

/** The access of one customer, with the forms that give access and extend it. */

const address = '/console/customers';

type CustomerVisit = VisitWith<'id'>;
export type PurchaseRow = RowOf<typeof purchaseEndpoints.listPurchases>;
type Row = PurchaseRow;

/** All access of the customer, newest first. */
export async function listAccess(visit: CustomerVisit): Promise<PurchaseRow[]> {
  const query = { customerID: visit.params.id, status: 'all', limit: 50 };
  return (await visit.call(purchaseEndpoints.listPurchases, { query })).collection;
}

/** `state` is that of the form that was refused. Its `find` is the access to extend, which a link has chosen. */
export async function accessSection(
  visit: CustomerVisit,
  texts: Texts,
  rows: readonly PurchaseRow[],
  state: PageState,
): Promise<Html> {
  const { t } = texts;
  const { values = {}, find } = state;
  const isExtension = 'days' in values || find !== undefined;
  const isGrant = 'item_id' in values;
  const mayGrant = mayDo(visit, 'items:read') && mayDo(visit, 'items:write');
  return html`<section class="stack">
    <h2>${t('console.customers.access')}</h2>
    ${accessTable(visit, texts, rows)} ${extensionForm(visit, texts, rows, isExtension ? state : {})}
    ${mayGrant && (await grantForm(visit, texts, isGrant ? state : {}))}
  </section>`;
}

function accessTable(visit: CustomerVisit, texts: Texts, rows: readonly Row[]): Html {
  const { t } = texts;
  const { id } = visit.params;
  const revoke = { label: t('console.customers.revoke'), question: t('console.customers.revokeQuestion') };
  const list = table({
    title: t('console.customers.access'),
    rows,
    empty: t('console.customers.noAccess'),
    columns: [
      { title: t('console.fields.item'), cell: ({ item_title }) => item_title },
      { title: t('console.fields.state'), cell: ({ type }) => badge(texts, type) },
      { title: t('console.fields.from'), cell: ({ starts_at }) => day(texts, starts_at) },
      { title: t('console.fields.until'), cell: ({ expires_at }) => day(texts, expires_at) },
      {
        title: t('console.fields.actions'),
        cell: (row) =>
          isRunning(row) &&
          mayUse(visit, grantEndpoints.revokeAccess) &&
          confirmButton(visit, { ...revoke, action: `${address}/${id}/accesses/${row.item_access_id}/revoke` }),
      },
    ],
  });
  return html`${list} ${fileOf(visit, texts, rows, { list: 'accesses', query: { account_id: id } })}`;
}

const isRunning = ({ type }: Row) => type === 'purchased' || type === 'granted';

/** The form lists the access that has an end which the merchant can move. */
function extensionForm(visit: CustomerVisit, texts: Texts, rows: readonly Row[], state: PageState): Html {
  const { t } = texts;
  const { complaint, find, values = { access: find } } = state;
  const choices = rows.flatMap((row) => {
    const target = extensionTarget(visit, row);
    const until = day(texts, row.expires_at);
    return target === undefined
      ? []
      : [[target, t('console.extend.until', { item: row.item_title, date: until })] as const];
  });
  if (choices.length === 0) return html``;
  const known = filled(values, complaint);
  const content = html`${complaints(texts, complaint, extensionFieldNames)}
    <p>${t('console.extend.question')}</p>
    ${select(texts, { ...known('access'), label: t('console.customers.access'), choices, isRequired: true })}
    ${extensionFields(texts, { complaint, values })} ${submit(t('console.extend.button'))}`;
  const card = html`<div class="card" id="extend">
    ${form(visit, { action: `${address}/${visit.params.id}/extend`, content })}
  </div>`;
  return folded(t('console.extend.title'), card, complaint !== undefined || find !== undefined);
}

/** The id that the request of an extension names. Undefined if nothing can be extended. */
export function extensionTarget(visit: CustomerVisit, row: Row): string | undefined {
  const { parent_resource_id: token, store_environment: store, expires_at: endsAt } = row;
  if (!isRunning(row) || store !== '' || endsAt >= lastUnixSecond) return undefined;
  if (token.startsWith('S-')) return mayDo(visit, 'payments:write') ? token : undefined;
  return mayDo(visit, 'items:write') ? String(row.item_access_id) : undefined;
}

async function grantForm(visit: CustomerVisit, texts: Texts, { complaint }: PageState): Promise<Html> {
  const { t } = texts;
  const content = html`${complaints(texts, complaint, grantFieldNames)}
  ${await grantFields(visit, texts, { complaint, values: {} })} ${submit(t('console.customers.grant'))}`;
  const action = `${address}/${visit.params.id}/grant`;
  const card = html`<div class="card">${form(visit, { action, content })}</div>`;
  return folded(t('console.customers.grantTitle'), card, complaint !== undefined);
}
