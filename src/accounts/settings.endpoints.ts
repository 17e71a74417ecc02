import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { SettingsBody, SettingsResponse } from './settings.schemas';
import * as settings from './settings';

export const settingsEndpoints = {
  getSettings: endpoint({
    method: 'get',
    path: '/accounts/settings',
    summary: 'Get the merchant’s settings for its customers’ accounts',
    auth: merchant('settings:write'),
    status: 200,
    response: SettingsResponse,
    errors: [],
    handler: ({ caller }) => settings.getOwnSettings(caller),
  }),
  updateSettings: endpoint({
    method: 'put',
    path: '/accounts/settings',
    summary:
      'Set the limit of a consumer’s sessions (0: none), the payment methods, the handling of failed payments, when calls ask for a confirmation, and the checklist of the console',
    auth: merchant('settings:write'),
    body: SettingsBody,
    status: 200,
    response: SettingsResponse,
    errors: ['missing_parameter', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, body, request }) => settings.updateSettings(caller, body, request),
  }),
};
