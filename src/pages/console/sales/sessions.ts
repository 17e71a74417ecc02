import { namesOf } from '../../../accounts/registeredUsers';
import { sessionEndpoints } from '../../../accounts/tokens/sessions.endpoints';
import { merchant, signedIn } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { sessionList } from '../../customer/sessions';
import { textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage, type VisitWith } from '../crudPages';
import { confirmButton, type MerchantVisit, showInConsole } from '../frame';
import { given, mayDo } from '../lists';
import { pager } from '../../layout/lists';

/** The visitor's own sessions and those of a customer. */

const own = '/console/sessions';
const ofCustomer = '/console/customers/{id}/sessions';
const writing = merchant('accounts:write');

export const sessionPages = {
  showOwnSessions: showPage({ auth: signedIn(), path: own, summary: 'The visitor’s own sessions', show: ownSessions }),
  endOtherSessionsInConsole: formPage({
    auth: signedIn(),
    path: `${own}/end-others`,
    summary: 'Ends the visitor’s other sessions',
    work: ({ call }) => call(sessionEndpoints.endOtherSessions),
    next: `${own}?done=changed`,
  }),
  endOwnSessionInConsole: formPage({
    auth: signedIn(),
    path: `${own}/{session_id}/end`,
    summary: 'Ends one of the visitor’s sessions',
    work: ({ call, params }) => call(sessionEndpoints.endSession, { params }),
    next: `${own}?done=changed`,
  }),
  showCustomerSessions: showPage({
    auth: merchant('accounts:read'),
    path: ofCustomer,
    summary: 'The sessions of a customer',
    show: customerSessions,
  }),
  endCustomerSessionsInConsole: formPage({
    auth: writing,
    path: `${ofCustomer}/end`,
    summary: 'Ends all sessions of a customer',
    work: ({ call, params }) => call(sessionEndpoints.endCustomerSessions, { params }),
    next: `${ofCustomer}?done=changed`,
  }),
  endCustomerSessionInConsole: formPage({
    auth: writing,
    path: `${ofCustomer}/{session_id}/end`,
    summary: 'Ends a session of a customer',
    work: ({ call, params }) => call(sessionEndpoints.endCustomerSession, { params }),
    next: `${ofCustomer}?done=changed`,
  }),
};

async function ownSessions(visit: MerchantVisit, { page, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const found = await visit.call(sessionEndpoints.listSessions, { query: given({ page }) });
  const ending = { label: t('sessions.endOthers'), question: t('sessions.endOthersQuestion') };
  const actions = found.total > 1 && confirmButton(visit, { ...ending, action: `${own}/end-others` });
  const content = html`${sessionList(visit, texts, { rows: found.collection, endAt: (id) => `${own}/${id}/end` })}
  ${found.total > found.limit && pager(visit, texts, found)}`;
  return showInConsole(visit, { section: 'security', title: t('sessions.title'), actions, done }, content);
}

async function customerSessions(visit: VisitWith<'id'>, { page, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const query = given({ page });
  const found = await visit.call(sessionEndpoints.listCustomerSessions, { params: { id }, query });
  const mayEnd = mayDo(visit, 'accounts:write');
  const names = await namesOf(visit.caller, [Number(id)]);
  const address = `/console/customers/${id}/sessions`;
  const ending = { label: t('sessions.endAll'), question: t('sessions.endAllQuestion') };
  const place = {
    section: 'customers',
    title: t('sessions.title'),
    back: { address: `/console/customers/${id}`, text: names.get(Number(id))?.name ?? t('console.sections.customers') },
    actions: mayEnd && found.total > 0 && confirmButton(visit, { ...ending, action: `${address}/end` }),
    done,
  } as const;
  const endAt = mayEnd ? (session: string) => `${address}/${session}/end` : undefined;
  const content = html`${sessionList(visit, texts, { rows: found.collection, endAt })}
  ${found.total > found.limit && pager(visit, texts, found)}`;
  return showInConsole(visit, place, content);
}
