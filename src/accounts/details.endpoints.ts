import { signedIn } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { AccountResponse } from './accounts.schemas';
import { AccountChange } from './details.schemas';
import * as details from './details';

export const detailEndpoints = {
  updateAccount: endpoint({
    method: 'put',
    path: '/accounts',
    summary: 'Change the account of the token; a merchant with the scope `accounts:write` changes a customer by `id`',
    auth: signedIn(),
    body: AccountChange,
    status: 200,
    response: AccountResponse,
    errors: ['forbidden', 'account_not_found'],
    handler: ({ caller, body, request }) => details.updateAccount(caller, body, request.requestId),
  }),
};
