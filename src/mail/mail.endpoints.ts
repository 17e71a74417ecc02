import { z } from 'zod';
import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { CursorQuery } from '../kit/page';
import { MailboxQuery, MailPage, MailPath, UndeliveredPage } from './mail.schemas';
import * as mail from './mail';
import { listUndelivered } from './undelivered';

export const mailEndpoints = {
  listUndeliveredMails: endpoint({
    method: 'get',
    path: '/mails/undelivered',
    summary: 'List the mails of the last 30 days that could not be delivered, newest first',
    auth: merchant('accounts:read'),
    query: CursorQuery,
    status: 200,
    response: UndeliveredPage,
    errors: [],
    handler: ({ caller, query }) => listUndelivered(caller, query),
  }),
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
