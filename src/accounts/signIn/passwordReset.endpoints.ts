import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { NewPassword, ResetPath, ResetRequest } from './passwordReset.schemas';
import * as passwordReset from './passwordReset';

export const passwordResetEndpoints = {
  forgotPassword: endpoint({
    method: 'post',
    path: '/accounts/forgot-password',
    summary: 'Mail a link to a new password; the answer does not reveal whether the account exists',
    auth: anyone(),
    limit: 'mails',
    body: ResetRequest,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'too_many_requests'],
    handler: ({ body }) => passwordReset.forgotPassword(body),
  }),
  resetPassword: endpoint({
    method: 'put',
    path: '/accounts/forgot-password/{token}',
    summary: 'Set a new password with the mailed token; ends every session',
    auth: anyone(),
    limit: 'credentials',
    params: ResetPath,
    body: NewPassword,
    status: 200,
    response: Message,
    errors: ['reset_token_invalid'],
    handler: ({ params, body, request }) => passwordReset.resetPassword(params.token, body, request),
  }),
};
