import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { SettingsBody, SettingsResponse } from './schemas';
import * as settings from './service';

export const settingsEndpoints = {
  getSettings: endpoint({
    method: 'get',
    path: '/accounts/settings',
    summary: 'What the merchant has set for its customers’ accounts',
    auth: merchant('settings:write'),
    status: 200,
    response: SettingsResponse,
    errors: [],
    handler: ({ caller }) => settings.getOwnSettings(caller),
  }),
  updateSettings: endpoint({
    method: 'put',
    path: '/accounts/settings',
    summary: 'Set how many sessions a consumer may have at once (0: any number), and what follows a failed payment',
    auth: merchant('settings:write'),
    body: SettingsBody,
    status: 200,
    response: SettingsResponse,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => settings.updateSettings(caller, body, request),
  }),
};
