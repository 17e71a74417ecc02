import { anyone, signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { confirmEmailChange } from './confirmations';
import * as emailChanges from './emailChanges';
import {
  ConfirmEmailBody,
  EmailChangeBody,
  EmailChangePath,
  EmailChangeResponse,
  EmailResponse,
} from './emailChanges.schemas';

const path = '/v2/accounts/email';

export const emailChangeEndpoints = {
  getEmailChange: endpoint({
    method: 'get',
    path,
    summary: 'Get the address of the account, and the change that waits for its confirmation',
    auth: signedIn(),
    status: 200,
    response: EmailChangeResponse,
    errors: [],
    handler: ({ caller }) => emailChanges.getEmailChange(caller),
  }),
  requestEmailChange: endpoint({
    method: 'post',
    path,
    summary: 'Mail a link to a new address; the address changes when the link is used',
    auth: signedIn(),
    body: EmailChangeBody,
    status: 200,
    response: Message,
    errors: [
      'missing_parameter',
      'recent_factor_required',
      'recent_password_required',
      'wrong_password',
      'too_many_requests',
    ],
    handler: ({ caller, body, request }) => emailChanges.requestEmailChange(caller, body, request.requestId),
  }),
  cancelEmailChange: endpoint({
    method: 'delete',
    path,
    summary: 'Cancel the change that waits for its confirmation',
    auth: signedIn(),
    status: 200,
    response: Message,
    errors: ['email_change_not_found'],
    handler: ({ caller, request }) => emailChanges.cancelEmailChange(caller, request.requestId),
  }),
  confirmEmailChange: endpoint({
    method: 'put',
    path: '/accounts/email/{token}',
    summary: 'Change the address with the token that was mailed to the new one; all other sessions end',
    auth: anyone(),
    limit: 'credentials',
    params: EmailChangePath,
    body: ConfirmEmailBody,
    status: 200,
    response: EmailResponse,
    errors: ['email_token_invalid', 'wrong_password', 'email_taken', 'too_many_requests'],
    handler: ({ params, body, request }) => confirmEmailChange(params.token, request, body.password),
  }),
};
