import { z } from 'zod';
import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { MailboxQuery, MailPage, MailPath } from './mail.schemas';
import * as mail from './mail';

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
  getTestAttachment: endpoint({
    method: 'get',
    path: '/test-mailbox/{id}/attachment',
    summary: 'The attachment of a mail in the test environment',
    auth: merchant('accounts:read'),
    params: MailPath,
    status: 200,
    response: z.string(),
    produces: 'application/json',
    errors: ['not_found'],
    handler: ({ caller, params }) => mail.getTestAttachment(caller, params.id),
  }),
};
