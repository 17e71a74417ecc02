import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { BatchBody, BatchPage, BatchQuery, BatchResponse } from './batches.schemas';
import * as batches from './batches';

export const voucherBatchEndpoints = {
  createVoucherBatch: endpoint({
    feature: 'vouchers',
    method: 'post',
    path: '/v2/voucher-batches',
    summary: 'Create many vouchers with the same terms and random codes',
    auth: merchant('vouchers:write'),
    body: BatchBody,
    status: 201,
    response: BatchResponse,
    errors: ['missing_parameter', 'account_does_not_exist', 'item_not_found', 'access_fee_not_found'],
    handler: ({ caller, body }) => batches.createVoucherBatch(caller, body),
  }),
  listVoucherBatches: endpoint({
    feature: 'vouchers',
    method: 'get',
    path: '/v2/voucher-batches',
    summary: 'List the merchant’s batches of vouchers with their number of uses',
    auth: merchant('vouchers:read'),
    query: BatchQuery,
    status: 200,
    response: BatchPage,
    errors: [],
    handler: ({ caller, query }) => batches.listVoucherBatches(caller, query),
  }),
};
