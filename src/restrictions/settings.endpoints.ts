import { anyone, merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { MerchantPath, RestrictionSettingsBody, RestrictionSettingsResponse } from './settings.schemas';
import * as settings from './settings';

export const restrictionSettingsEndpoints = {
  updateRestrictionSettings: endpoint({
    method: 'patch',
    path: '/restrictions/settings',
    summary: 'Set whether and how the ages of consumers are verified',
    auth: merchant('restrictions:write'),
    body: RestrictionSettingsBody,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, body }) => settings.updateRestrictionSettings(caller, body),
  }),
  getRestrictionSettings: endpoint({
    method: 'get',
    path: '/restrictions/settings/{merchant_uuid}',
    summary: 'Whether and how a merchant verifies ages; an OAuth app’s client id also names the merchant',
    auth: anyone(),
    params: MerchantPath,
    status: 200,
    response: RestrictionSettingsResponse,
    errors: ['account_not_found'],
    handler: ({ params }) => settings.getRestrictionSettings(params.merchant_uuid),
  }),
};
