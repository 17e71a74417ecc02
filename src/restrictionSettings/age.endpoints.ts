import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { GlobalAgeResponse, ItemAgeResponse, ItemPath, MinAgeBody } from './age.schemas';
import * as age from './age';

export const ageRestrictionEndpoints = {
  setGlobalAge: endpoint({
    method: 'post',
    path: '/restrictions/age',
    summary: 'Set the general minimum age, for items that have none of their own',
    auth: merchant('restrictions:write'),
    body: MinAgeBody,
    status: 200,
    response: Message,
    errors: ['recent_factor_required', 'recent_password_required'],
    handler: ({ caller, body }) => age.setGlobalAge(caller, body.min_age),
  }),
  getGlobalAge: endpoint({
    method: 'get',
    path: '/restrictions/age',
    summary: 'The general minimum age, for items that have none of their own',
    auth: merchant('restrictions:write'),
    status: 200,
    response: GlobalAgeResponse,
    errors: ['restriction_not_found'],
    handler: ({ caller }) => age.getGlobalAge(caller),
  }),
  deleteGlobalAge: endpoint({
    method: 'delete',
    path: '/restrictions/age',
    summary: 'Remove the general minimum age; the minimum ages of single items stay',
    auth: withRecentFactor(merchant('restrictions:write')),
    status: 200,
    response: Message,
    errors: ['restriction_not_found'],
    handler: ({ caller }) => age.deleteGlobalAge(caller),
  }),
  getItemAge: endpoint({
    method: 'get',
    path: '/restrictions/age/item/{item_id}',
    summary: 'The minimum age of an item',
    auth: merchant('restrictions:write'),
    params: ItemPath,
    status: 200,
    response: ItemAgeResponse,
    errors: ['item_not_found', 'restriction_not_found'],
    handler: ({ caller, params }) => age.getItemAge(caller, params.item_id),
  }),
  setItemAge: endpoint({
    method: 'post',
    path: '/restrictions/age/item/{item_id}',
    summary: 'Set the minimum age of an item',
    auth: merchant('restrictions:write'),
    params: ItemPath,
    body: MinAgeBody,
    status: 200,
    response: Message,
    errors: ['item_not_found', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, params, body }) => age.setItemAge(caller, params.item_id, body.min_age),
  }),
  deleteItemAge: endpoint({
    method: 'delete',
    path: '/restrictions/age/{item_id}',
    summary: 'Remove the minimum age of an item; the general one applies again',
    auth: withRecentFactor(merchant('restrictions:write')),
    params: ItemPath,
    status: 200,
    response: Message,
    errors: ['item_not_found', 'restriction_not_found'],
    handler: ({ caller, params }) => age.deleteItemAge(caller, params.item_id),
  }),
};
