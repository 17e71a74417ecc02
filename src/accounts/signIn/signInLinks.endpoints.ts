import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { AuthenticationResponse } from '../accounts.schemas';
import { LinkBody, LinkPath, LinkRequest } from './signInLinks.schemas';
import * as signInLinks from './signInLinks';

export const signInLinkEndpoints = {
  sendSignInLink: endpoint({
    method: 'post',
    path: '/accounts/sign-in-link',
    summary:
      'Mail a customer a link to sign in without a password; the answer does not reveal whether the account exists',
    auth: anyone(),
    limit: 'mails',
    body: LinkRequest,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'too_many_requests'],
    handler: ({ body }) => signInLinks.sendSignInLink(body),
  }),
  signInByLink: endpoint({
    method: 'put',
    path: '/accounts/sign-in-link/{token}',
    summary: 'Sign in with the mailed token, which works once within 15 minutes',
    auth: anyone(),
    limit: 'credentials',
    params: LinkPath,
    body: LinkBody,
    status: 200,
    response: AuthenticationResponse,
    errors: [
      'sign_in_link_invalid',
      'invalid_client',
      'second_factor_required',
      'second_factor_code_invalid',
      'too_many_requests',
    ],
    handler: ({ params, body, request }) => signInLinks.signInByLink(params.token, body, request),
  }),
};
