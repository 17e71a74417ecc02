import { signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { AccountResponse } from '../schemas';
import { AccountChange } from './schemas';
import * as details from './service';

export const detailEndpoints = {
  updateAccount: endpoint({
    method: 'put',
    path: '/accounts',
    summary: 'Change the account of the token; a merchant changes a customer by `id`, with the scope `accounts:write`',
    auth: signedIn(),
    body: AccountChange,
    status: 200,
    response: AccountResponse,
    errors: ['forbidden', 'account_not_found'],
    handler: ({ caller, body, request }) => details.updateAccount(caller, body, request.requestId),
  }),
};
