import { signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { ChangePasswordBody } from './passwords.schemas';
import * as passwords from './passwords';

export const passwordEndpoints = {
  changePassword: endpoint({
    method: 'post',
    path: '/accounts/change-password',
    summary: 'Set a new password; all other sessions end',
    auth: signedIn(),
    body: ChangePasswordBody,
    status: 200,
    response: Message,
    errors: ['wrong_old_password', 'too_many_requests'],
    handler: ({ caller, body }) => passwords.changePassword(caller, body),
  }),
};
