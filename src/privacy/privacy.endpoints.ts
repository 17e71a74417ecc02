import { anyone, signedIn, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { requestErasure } from './erasures';
import { confirmExport, requestExport } from './exports';
import { EraseBody, ExportBody, ExportPath, ExportReply } from './privacy.schemas';

export const privacyEndpoints = {
  exportAccount: endpoint({
    method: 'post',
    path: '/accounts/export',
    summary: 'Export all stored data of the account as JSON, by mail',
    auth: signedIn(),
    body: ExportBody,
    status: 202,
    response: ExportReply,
    errors: ['wrong_password', 'too_many_requests', 'export_in_progress'],
    handler: ({ caller, body, request }) => requestExport(caller, body, request.requestId),
  }),
  confirmExport: endpoint({
    method: 'put',
    path: '/accounts/export/{token}',
    summary: 'Start the export that the mailed token confirms',
    auth: anyone(),
    limit: 'credentials',
    params: ExportPath,
    status: 202,
    response: ExportReply,
    errors: ['export_token_invalid', 'export_in_progress'],
    handler: ({ params, request }) => confirmExport(params.token, request.requestId),
  }),
  eraseAccount: endpoint({
    method: 'delete',
    path: '/accounts/erase',
    summary: 'Erase the account and its personal data; a merchant erases a customer by `customer_id`',
    auth: signedInWith('accounts:write'),
    body: EraseBody,
    status: 202,
    response: Message,
    errors: [
      'missing_parameter',
      'account_does_not_exist',
      'wrong_password',
      'recent_factor_required',
      'recent_password_required',
      'too_many_requests',
    ],
    handler: ({ caller, body, request }) => requestErasure(caller, body, request.requestId),
  }),
};
