import { anyone, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { DataCaptureBody, DataCapturePage, DataCaptureQuery } from './schemas';
import * as dataCaptures from './service';

const path = '/v2/accounts/customers/data-capture';

export const dataCaptureEndpoints = {
  captureData: endpoint({
    method: 'post',
    path,
    summary: 'Leave an address for the merchant’s `DataCapture` items, without an account',
    auth: anyone(),
    limit: 'credentials',
    body: DataCaptureBody,
    status: 200,
    response: Message,
    errors: ['account_not_found'],
    handler: ({ body }) => dataCaptures.captureData(body),
  }),
  listDataCaptures: endpoint({
    method: 'get',
    path,
    summary: 'Who has left an address',
    auth: merchant('accounts:read'),
    query: DataCaptureQuery,
    status: 200,
    response: DataCapturePage,
    errors: [],
    handler: ({ caller, query }) => dataCaptures.listDataCaptures(caller, query),
  }),
};
