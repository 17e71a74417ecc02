import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  DomainList,
  DomainQuery,
  DomainsBody,
  DomainTypePath,
  ItemDomainResponse,
  ItemDomainTypePath,
  ItemPath,
} from './domains.schemas';
import * as domains from './domains';

const listOfItem = {
  path: '/restrictions/domain/{type}/item/{item_id}',
  auth: merchant('restrictions:write'),
  params: ItemDomainTypePath,
  body: DomainsBody,
  status: 200,
  response: Message,
  errors: ['item_not_found', 'restriction_not_found', 'recent_factor_required', 'recent_password_required'],
} as const;

export const domainRestrictionEndpoints = {
  listGlobalDomains: endpoint({
    method: 'get',
    path: '/restrictions/domain',
    summary: 'The domains that may, or may not, show the merchant’s items',
    auth: merchant('restrictions:write'),
    query: DomainQuery,
    status: 200,
    response: DomainList,
    errors: [],
    handler: ({ caller, query }) => domains.listGlobalDomains(caller, query.domain),
  }),
  saveGlobalDomains: endpoint({
    method: 'post',
    path: '/restrictions/domain/{type}',
    summary: 'Add domains to the general whitelist or blacklist, or change them by `id`',
    auth: merchant('restrictions:write'),
    params: DomainTypePath,
    body: DomainsBody,
    status: 200,
    response: Message,
    errors: ['restriction_not_found', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, params, body }) => domains.saveGlobalDomains(caller, params.type, body.domains),
  }),
  deleteGlobalDomains: endpoint({
    method: 'delete',
    path: '/restrictions/domain',
    summary: 'Remove one or all domains from the general lists; the lists of single items stay',
    auth: withRecentFactor(merchant('restrictions:write')),
    query: DomainQuery,
    status: 200,
    response: Message,
    errors: ['restriction_not_found'],
    handler: ({ caller, query }) => domains.deleteGlobalDomains(caller, query.domain),
  }),
  getItemDomains: endpoint({
    method: 'get',
    path: '/restrictions/domain/item/{item_id}',
    summary: 'The domains that may, or may not, show an item, in place of the general lists',
    auth: merchant('restrictions:write'),
    params: ItemPath,
    query: DomainQuery,
    status: 200,
    response: ItemDomainResponse,
    errors: ['item_not_found', 'restriction_not_found'],
    handler: ({ caller, params, query }) => domains.getItemDomains(caller, params.item_id, query.domain),
  }),
  saveItemDomains: endpoint({
    ...listOfItem,
    method: 'post',
    summary: 'Add domains to an item’s whitelist or blacklist, or change them by `id`',
    handler: ({ caller, params: { item_id: itemId, type }, body }) =>
      domains.saveItemDomains(caller, { itemId, type, ...body }),
  }),
  replaceItemDomains: endpoint({
    ...listOfItem,
    method: 'put',
    summary: 'Replace an item’s whitelist or blacklist',
    handler: ({ caller, params: { item_id: itemId, type }, body }) =>
      domains.replaceItemDomains(caller, { itemId, type, ...body }),
  }),
  deleteItemDomains: endpoint({
    method: 'delete',
    path: '/restrictions/domain/item/{item_id}',
    summary: 'Remove one or all domains from an item’s lists; without any, the general lists apply again',
    auth: withRecentFactor(merchant('restrictions:write')),
    params: ItemPath,
    query: DomainQuery,
    status: 200,
    response: Message,
    errors: ['item_not_found', 'restriction_not_found'],
    handler: ({ caller, params, query }) => domains.deleteItemDomains(caller, params.item_id, query.domain),
  }),
};
