import { openToActors, signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import * as identities from './identities';
import { IdentitiesResponse, ProviderPath } from './identities.schemas';

export const identityEndpoints = {
  listIdentities: endpoint({
    method: 'get',
    path: '/accounts/identities',
    summary: 'List the other services with which the account signs in',
    auth: openToActors('accounts:read', signedIn()),
    status: 200,
    response: IdentitiesResponse,
    errors: [],
    handler: ({ caller }) => identities.listIdentities(caller),
  }),
  unlinkIdentity: endpoint({
    method: 'delete',
    path: '/accounts/identities/{provider}',
    summary: 'Unlink another service from the account; all other sessions end',
    auth: signedIn(),
    params: ProviderPath,
    status: 200,
    response: Message,
    errors: ['identity_not_found', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, params }) => identities.unlinkIdentity(caller, params.provider),
  }),
};
