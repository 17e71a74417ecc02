import { merchant, openToActors, signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import * as sessions from './sessions';
import { CustomerPath, CustomerSessionPath, SessionPage, SessionPath, SessionQuery } from './sessions.schemas';

const customers = '/v2/accounts/customers/{id}/sessions';

export const sessionEndpoints = {
  listSessions: endpoint({
    method: 'get',
    path: '/accounts/sessions',
    summary: 'List the open sessions of the account, the last used first',
    auth: openToActors('accounts:read', signedIn()),
    query: SessionQuery,
    status: 200,
    response: SessionPage,
    errors: [],
    handler: ({ caller, query }) => sessions.listOwnSessions(caller, query),
  }),
  endOtherSessions: endpoint({
    method: 'delete',
    path: '/accounts/sessions',
    summary: 'End all sessions of the account except the one of the request',
    auth: signedIn(),
    status: 200,
    response: Message,
    errors: [],
    handler: ({ caller }) => sessions.endOtherSessions(caller),
  }),
  endSession: endpoint({
    method: 'delete',
    path: '/accounts/sessions/{session_id}',
    summary: 'End a session of the account',
    auth: signedIn(),
    params: SessionPath,
    status: 200,
    response: Message,
    errors: ['session_not_found'],
    handler: ({ caller, params }) => sessions.endOwnSession(caller, params.session_id),
  }),
  listCustomerSessions: endpoint({
    method: 'get',
    path: customers,
    summary: 'List the open sessions of a customer, the last used first',
    auth: merchant('accounts:read'),
    params: CustomerPath,
    query: SessionQuery,
    status: 200,
    response: SessionPage,
    errors: ['account_not_found'],
    handler: ({ caller, params, query }) => sessions.listCustomerSessions(caller, params.id, query),
  }),
  endCustomerSessions: endpoint({
    method: 'delete',
    path: customers,
    summary: 'End all sessions of a customer',
    auth: merchant('accounts:write'),
    params: CustomerPath,
    status: 200,
    response: Message,
    errors: ['account_not_found'],
    handler: ({ caller, params, request }) => sessions.endCustomerSessions(caller, params.id, request),
  }),
  endCustomerSession: endpoint({
    method: 'delete',
    path: `${customers}/{session_id}`,
    summary: 'End a session of a customer',
    auth: merchant('accounts:write'),
    params: CustomerSessionPath,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'session_not_found'],
    handler: ({ caller, params, request }) => sessions.endCustomerSession(caller, params, request),
  }),
};
