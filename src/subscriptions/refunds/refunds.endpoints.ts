import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { RefundBody, TransactionPath } from './refunds.schemas';
import * as refunds from './refunds';

export const refundEndpoints = {
  refundPayment: endpoint({
    method: 'post',
    path: '/payments/{trx_token}/refund',
    summary: 'Refund a charge in part or in full, and optionally end the access',
    auth: merchant('payments:write'),
    params: TransactionPath,
    body: RefundBody,
    status: 200,
    response: Message,
    errors: [
      'payment_not_found',
      'nothing_to_refund',
      'gift_used',
      'recent_factor_required',
      'recent_password_required',
    ],
    handler: ({ caller, params, body, request }) =>
      refunds.refundPayment(caller, params.trx_token, body, request.requestId),
  }),
};
