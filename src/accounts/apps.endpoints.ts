import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message, PageQuery } from '../kit/page';
import {
  AppId,
  AppListResponse,
  AppResponse,
  CreateAppBody,
  NewAppResponse,
  SecretResponse,
  UpdateAppBody,
} from './apps.schemas';
import * as oauthApps from './apps';

export const oauthAppEndpoints = {
  createApp: endpoint({
    method: 'post',
    path: '/accounts/apps',
    summary: 'Create an OAuth app; its secret is shown in this response only',
    auth: withRecentFactor(merchant('apps:write')),
    body: CreateAppBody,
    status: 200,
    response: NewAppResponse,
    errors: [],
    handler: ({ caller, body, request }) => oauthApps.createApp(caller, body, request),
  }),
  listApps: endpoint({
    method: 'get',
    path: '/accounts/apps',
    summary: 'List the merchant’s OAuth apps',
    auth: merchant('apps:write'),
    query: PageQuery,
    status: 200,
    response: AppListResponse,
    errors: [],
    handler: ({ caller, query }) => oauthApps.listApps(caller, query),
  }),
  updateApp: endpoint({
    method: 'put',
    path: '/accounts/apps/{id}',
    summary: 'Change an OAuth app; deactivating it ends its sessions',
    auth: withRecentFactor(merchant('apps:write')),
    params: AppId,
    body: UpdateAppBody,
    status: 200,
    response: AppResponse,
    errors: ['app_not_found', 'default_app'],
    handler: ({ caller, params, body, request }) => oauthApps.updateApp(caller, params.id, body, request),
  }),
  deleteApp: endpoint({
    method: 'delete',
    path: '/accounts/apps/{id}',
    summary: 'Delete an OAuth app and end its sessions',
    auth: withRecentFactor(merchant('apps:write')),
    params: AppId,
    status: 200,
    response: Message,
    errors: ['app_not_found', 'default_app'],
    handler: ({ caller, params, request }) => oauthApps.deleteApp(caller, params.id, request),
  }),
  replaceAppSecret: endpoint({
    method: 'put',
    path: '/accounts/apps/{id}/secret',
    summary: 'Replace an OAuth app’s secret, shown in this response only; sessions opened with the previous one end',
    auth: withRecentFactor(merchant('apps:write')),
    params: AppId,
    status: 200,
    response: SecretResponse,
    errors: ['app_not_found'],
    handler: ({ caller, params, request }) => oauthApps.replaceAppSecret(caller, params.id, request),
  }),
};
