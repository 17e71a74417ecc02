import { anyone, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import {
  ActivatedResponse,
  ActivationBody,
  ActivationPath,
  ActivationRequest,
  CustomerPath,
} from './activation.schemas';
import * as activation from './activation';

export const activationEndpoints = {
  sendActivation: endpoint({
    method: 'post',
    path: '/accounts/activate',
    summary: 'Mail an activation link; the answer does not reveal whether the account exists',
    auth: anyone(),
    limit: 'mails',
    body: ActivationRequest,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'too_many_requests'],
    handler: ({ body }) => activation.sendActivation(body),
  }),
  activateAccount: endpoint({
    method: 'put',
    path: '/accounts/activate/{token}',
    summary:
      'Activate the account that the token was mailed to; without its password or one of its sessions, earlier sessions and sign-ins end',
    auth: anyone(),
    limit: 'credentials',
    params: ActivationPath,
    body: ActivationBody,
    status: 201,
    response: ActivatedResponse,
    errors: ['activation_token_invalid', 'wrong_password', 'too_many_requests'],
    handler: ({ params, body, request }) => activation.activateAccount(params.token, request, body.password),
  }),
  resendActivation: endpoint({
    method: 'post',
    path: '/v2/accounts/customers/{id}/activation/resend',
    summary: 'Mail a new activation link to a customer whose account is not active yet; the last link ends',
    auth: merchant('accounts:write'),
    params: CustomerPath,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'mail_not_possible', 'too_many_requests'],
    handler: ({ caller, params, request }) => activation.resendActivation(caller, params.id, request),
  }),
};
