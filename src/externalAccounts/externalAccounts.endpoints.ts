import { signedIn } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import {
  CreateExternalAccountBody,
  ExternalAccountPath,
  ExternalAccountResponse,
  RenameExternalAccountBody,
} from './externalAccounts.schemas';
import * as externalAccounts from './externalAccounts';

const path = '/v2/accounts/external/{integration}';

export const externalAccountEndpoints = {
  createExternalAccount: endpoint({
    feature: 'external_partner',
    method: 'post',
    path,
    summary: 'Join the live chat of an item, at an external partner',
    auth: signedIn(),
    params: ExternalAccountPath,
    body: CreateExternalAccountBody,
    status: 200,
    response: ExternalAccountResponse,
    errors: ['not_found', 'item_not_found', 'account_not_found'],
    handler: ({ caller, params, body }) => externalAccounts.createExternalAccount(caller, params.integration, body),
  }),
  renameExternalAccount: endpoint({
    feature: 'external_partner',
    method: 'patch',
    path,
    summary: 'Change the name that the live chat shows',
    auth: signedIn(),
    params: ExternalAccountPath,
    body: RenameExternalAccountBody,
    status: 200,
    response: ExternalAccountResponse,
    errors: ['not_found', 'account_not_found'],
    handler: ({ caller, params, body }) =>
      externalAccounts.renameExternalAccount(caller, params.integration, body.nickname),
  }),
};
