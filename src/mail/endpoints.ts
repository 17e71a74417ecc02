import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { MailboxQuery, MailPage } from './schemas';
import * as mail from './service';

export const mailEndpoints = {
  listTestMailbox: endpoint({
    method: 'get',
    path: '/test-mailbox',
    summary: 'The mails of the test environment, which has no mail server',
    auth: merchant('accounts:read'),
    query: MailboxQuery,
    status: 200,
    response: MailPage,
    errors: ['not_found'],
    handler: ({ caller, query }) => mail.listTestMailbox(caller, query),
  }),
};
