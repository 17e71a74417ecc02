import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { ImportBody, ImportResponse } from './imports.schemas';
import * as imports from './imports';

export const importEndpoints = {
  importCustomers: endpoint({
    method: 'post',
    path: '/v2/accounts/customers/import',
    summary: 'Create customers with access that is already paid from a CSV file, or try it with `dry_run`',
    auth: merchant('accounts:write'),
    body: ImportBody,
    // Each cell is checked, because the numbers of neighbouring cells can look like a card number together.
    cardNumberFields: ['csv'],
    status: 200,
    response: ImportResponse,
    errors: [],
    handler: ({ caller, body, request }) => imports.importCustomers(caller, body, request),
  }),
};
