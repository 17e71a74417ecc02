import { operator } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message, PageQuery } from '../kit/page';
import * as merchants from './merchants';
import { listOperatorActions } from './operatorActions';
import * as refusedMessages from './refusedMessages';
import {
  OperatorActionPage,
  MerchantPage,
  MerchantPath,
  MerchantQuery,
  MerchantResponse,
  MessagePath,
  QueuesResponse,
  RefusedMessagePage,
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

const ofMessage = {
  method: 'post',
  auth: operator(),
  params: MessagePath,
  status: 200,
  response: Message,
  errors: ['message_not_found'],
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
  listRefusedMessages: endpoint({
    method: 'get',
    path: '/operator/messages',
    summary: 'Messages to workflows that Temporal has refused, the oldest first',
    auth: operator(),
    query: PageQuery,
    status: 200,
    response: RefusedMessagePage,
    errors: [],
    handler: ({ query }) => refusedMessages.listRefusedMessages(query),
  }),
  sendRefusedMessage: endpoint({
    ...ofMessage,
    path: '/operator/messages/{id}/send',
    summary: 'Send a refused message again',
    handler: ({ caller, params, request }) => refusedMessages.sendRefusedMessage(caller, params.id, request),
  }),
  discardRefusedMessage: endpoint({
    ...ofMessage,
    path: '/operator/messages/{id}/discard',
    summary: 'Delete a refused message; a missing run starts again from its row',
    handler: ({ caller, params, request }) => refusedMessages.discardRefusedMessage(caller, params.id, request),
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
