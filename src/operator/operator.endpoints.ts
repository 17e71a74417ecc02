import { operator } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { PageQuery } from '../kit/page';
import * as merchants from './merchants';
import { listOperatorActions } from './operatorActions';
import {
  OperatorActionPage,
  MerchantPage,
  MerchantPath,
  MerchantQuery,
  MerchantResponse,
  QueuesResponse,
  SuspendBody,
} from './operator.schemas';
import { readQueues } from './queues';

const ofMerchant = {
  method: 'post',
  auth: operator(),
  params: MerchantPath,
  status: 200,
  response: MerchantResponse,
  errors: ['merchant_not_found', 'merchant_state'],
} as const;

export const operatorEndpoints = {
  listMerchants: endpoint({
    method: 'get',
    path: '/operator/merchants',
    summary: 'All merchants of the installation, the newest first',
    auth: operator(),
    query: MerchantQuery,
    status: 200,
    response: MerchantPage,
    errors: [],
    handler: ({ query }) => merchants.listMerchants(query),
  }),
  getMerchant: endpoint({
    method: 'get',
    path: '/operator/merchants/{id}',
    summary: 'One merchant of the installation',
    auth: operator(),
    params: MerchantPath,
    status: 200,
    response: MerchantResponse,
    errors: ['merchant_not_found'],
    handler: ({ params }) => merchants.getMerchantView(params.id),
  }),
  approveMerchant: endpoint({
    ...ofMerchant,
    path: '/operator/merchants/{id}/approve',
    summary: 'Open a merchant that waits for approval; it gets a mail',
    handler: ({ caller, params, request }) => merchants.approveMerchant(caller, params.id, request),
  }),
  suspendMerchant: endpoint({
    ...ofMerchant,
    path: '/operator/merchants/{id}/suspend',
    summary: 'Close a merchant and its followers: nobody signs in, its mails wait, and its renewals are not charged',
    body: SuspendBody,
    handler: ({ caller, params, body, request }) => merchants.suspendMerchant(caller, params.id, body.reason, request),
  }),
  resumeMerchant: endpoint({
    ...ofMerchant,
    path: '/operator/merchants/{id}/resume',
    summary: 'End the suspension of a merchant and of the followers that were suspended with it',
    handler: ({ caller, params, request }) => merchants.resumeMerchant(caller, params.id, request),
  }),
  getQueues: endpoint({
    method: 'get',
    path: '/operator/queues',
    summary: 'What waits in the installation: messages to Temporal, mails, webhooks and runs',
    auth: operator(),
    status: 200,
    response: QueuesResponse,
    errors: [],
    handler: () => readQueues(),
  }),
  listOperatorActions: endpoint({
    method: 'get',
    path: '/operator/audit',
    summary: 'What the operators have done, the newest first',
    auth: operator(),
    query: PageQuery,
    status: 200,
    response: OperatorActionPage,
    errors: [],
    handler: ({ query }) => listOperatorActions(query),
  }),
};
