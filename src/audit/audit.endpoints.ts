import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { cursorPageOf } from '../kit/page';
import { AuditQuery, AuditRecord } from './audit.schemas';
import * as audit from './audit';

export const auditEndpoints = {
  listAudit: endpoint({
    method: 'get',
    path: '/audit',
    summary: 'The audit log, newest first',
    auth: merchant('accounts:read'),
    query: AuditQuery,
    status: 200,
    response: cursorPageOf(AuditRecord),
    errors: [],
    handler: ({ caller, query }) => audit.listAudit(caller, query),
  }),
};
