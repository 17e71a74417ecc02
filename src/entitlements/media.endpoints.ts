import { consumer, merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ItemPath } from '../items/items.schemas';
import {
  MediaSettingsBody,
  MediaSettingsResponse,
  MediaTokenQuery,
  MediaTokenResponse,
  SignedUrlQuery,
  SignedUrlResponse,
} from './media.schemas';
import * as media from './media';

export const itemMediaEndpoints = {
  getMediaSettings: endpoint({
    method: 'get',
    path: '/items/media/settings',
    summary: 'Get the signing settings of the merchant’s media, without secrets',
    auth: merchant('settings:write'),
    status: 200,
    response: MediaSettingsResponse,
    errors: [],
    handler: ({ caller }) => media.getMediaSettings(caller),
  }),
  updateMediaSettings: endpoint({
    method: 'put',
    path: '/items/media/settings',
    summary: 'Set the secret of media tokens, and the key and hosts of CloudFront',
    auth: withRecentFactor(merchant('settings:write')),
    body: MediaSettingsBody,
    status: 200,
    response: MediaSettingsResponse,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => media.updateMediaSettings(caller, body, request),
  }),
  getMediaToken: endpoint({
    method: 'get',
    path: '/v2/items/jw-media/token',
    summary: 'Get a token of the media delivery API for an item’s media',
    auth: consumer(),
    query: MediaTokenQuery,
    status: 200,
    response: MediaTokenResponse,
    errors: ['media_not_found', 'access_restricted', 'access_not_found', 'media_not_configured'],
    handler: ({ caller, query, request }) => media.getMediaToken(caller, query.media_id, request),
  }),
  getSignedUrl: endpoint({
    method: 'get',
    path: '/items/{id}/access/cloudfront',
    summary: 'Get the signed CloudFront address of a video of the item',
    auth: consumer(),
    params: ItemPath,
    query: SignedUrlQuery,
    status: 200,
    response: SignedUrlResponse,
    errors: ['item_not_found', 'access_restricted', 'access_not_found', 'media_not_configured'],
    handler: ({ caller, params, request }) => media.getSignedUrl(caller, params.id, request),
  }),
};
