import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { pageOf } from '../kit/page';
import { AuditQuery, AuditRecord } from './schemas';
import * as audit from './service';

export const auditEndpoints = {
  listAudit: endpoint({
    method: 'get',
    path: '/audit',
    summary: 'Who did what to which account, newest first',
    auth: merchant('accounts:read'),
    query: AuditQuery,
    status: 200,
    response: pageOf(AuditRecord),
    errors: [],
    handler: ({ caller, query }) => audit.listAudit(caller, query),
  }),
};
