import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { DatevFile, DatevQuery, DatevSettings, DatevSettingsBody } from './datev.schemas';
import { exportDatev } from './datev';
import * as settings from './datevSettings';

export const datevEndpoints = {
  getDatevSettings: endpoint({
    method: 'get',
    path: '/reporting/books/datev',
    summary: 'The numbers with which the journal is exported for DATEV',
    auth: merchant('reports:read'),
    status: 200,
    response: DatevSettings,
    errors: [],
    handler: ({ caller }) => settings.getDatevSettings(caller),
  }),
  setDatevSettings: endpoint({
    method: 'put',
    path: '/reporting/books/datev',
    summary: 'Set the numbers of the tax adviser, the chart of accounts and own account numbers for DATEV',
    auth: merchant('settings:write'),
    body: DatevSettingsBody,
    status: 200,
    response: DatevSettings,
    errors: [],
    handler: ({ caller, body, request }) => settings.setDatevSettings(caller, body, request),
  }),
  exportDatev: endpoint({
    method: 'get',
    path: '/reporting/exports/datev',
    summary: 'Export the entries of the journal as a posting batch (EXTF) for DATEV, streamed',
    auth: withRecentFactor(merchant('reports:read')),
    query: DatevQuery,
    status: 200,
    response: DatevFile,
    produces: 'text/csv',
    errors: [],
    handler: ({ caller, query }) => exportDatev(caller, query),
  }),
};
