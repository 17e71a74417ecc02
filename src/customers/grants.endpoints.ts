import { consumer, merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { AccessResponse, GrantedAccess } from '../entitlements/entitlements.schemas';
import { AccessPath, ExtendBody, FreemiumBody, GrantBody } from './grants.schemas';
import * as grants from './grants';

export const grantEndpoints = {
  createGrant: endpoint({
    method: 'post',
    path: '/items/access',
    summary: 'Give a customer access by hand, for the time of an access fee or until a date',
    auth: merchant('items:write'),
    body: GrantBody,
    status: 200,
    response: GrantedAccess,
    errors: ['item_not_found', 'account_does_not_exist', 'access_fee_not_found', 'missing_parameter'],
    handler: ({ caller, body, request }) => grants.createGrant(caller, body, request),
  }),
  revokeAccess: endpoint({
    method: 'delete',
    path: '/items/access/{id}',
    summary: 'Revoke an entitlement at once; a subscription that gave it ends',
    auth: withRecentFactor(merchant('items:write')),
    params: AccessPath,
    status: 200,
    response: Message,
    errors: ['access_record_not_found'],
    handler: ({ caller, params, request }) => grants.revokeAccess(caller, params.id, request),
  }),
  extendAccess: endpoint({
    method: 'post',
    path: '/items/access/{id}/extend',
    summary: 'Move the end of an entitlement that runs; a subscription is extended at its own address',
    auth: merchant('items:write'),
    params: AccessPath,
    body: ExtendBody,
    status: 200,
    response: GrantedAccess,
    errors: ['access_record_not_found', 'account_does_not_exist', 'access_state'],
    handler: ({ caller, params, body, request }) => grants.extendAccess(caller, params.id, body, request),
  }),
  takeFreemium: endpoint({
    method: 'post',
    path: '/items/access/unlimited',
    summary: 'Take an item that is free for registered users (idempotent)',
    auth: consumer(),
    body: FreemiumBody,
    status: 200,
    response: AccessResponse,
    errors: ['item_not_found', 'access_fee_not_found', 'access_restricted', 'access_not_found'],
    handler: ({ caller, body, request }) => grants.takeFreemium(caller, body.item_id, request),
  }),
};
