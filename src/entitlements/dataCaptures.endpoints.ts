import { anyone, merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { DataCaptureBody, DataCapturePage, DataCaptureQuery, DataCaptureResponse } from './dataCaptures.schemas';
import * as dataCaptures from './dataCaptures';

const path = '/v2/accounts/customers/data-capture';

export const dataCaptureEndpoints = {
  captureData: endpoint({
    method: 'post',
    path,
    summary:
      'Leave an e-mail address for the merchant’s `DataCapture` items, without an account; the item named by `item_id` opens at once',
    auth: anyone(),
    limit: 'mails',
    body: DataCaptureBody,
    status: 200,
    response: DataCaptureResponse,
    errors: ['account_not_found', 'item_not_found', 'access_not_found', 'access_restricted', 'service_unavailable'],
    handler: ({ body, request }) => dataCaptures.captureData(body, request),
  }),
  listDataCaptures: endpoint({
    method: 'get',
    path,
    summary: 'List the addresses that visitors left',
    auth: merchant('accounts:read'),
    query: DataCaptureQuery,
    status: 200,
    response: DataCapturePage,
    errors: [],
    handler: ({ caller, query }) => dataCaptures.listDataCaptures(caller, query),
  }),
};
