import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { UnmatchedPage, UnmatchedPath, UnmatchedQuery } from './unmatched.schemas';
import * as unmatched from './unmatched';

export const unmatchedEndpoints = {
  listUnmatchedPayments: endpoint({
    method: 'get',
    path: '/payments/unmatched',
    summary: 'List payments whose purchases were lost when a backup was restored',
    auth: merchant('payments:read'),
    query: UnmatchedQuery,
    status: 200,
    response: UnmatchedPage,
    errors: [],
    handler: ({ caller, query }) => unmatched.listUnmatched(caller, query),
  }),
  refundUnmatchedPayment: endpoint({
    method: 'post',
    path: '/payments/unmatched/{id}/refund',
    summary: 'Refund in full a payment whose purchase was lost',
    auth: merchant('payments:write'),
    params: UnmatchedPath,
    status: 200,
    response: Message,
    errors: ['payment_not_found', 'nothing_to_refund', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, params, request }) => unmatched.refundUnmatched(caller, params.id, request.requestId),
  }),
};
