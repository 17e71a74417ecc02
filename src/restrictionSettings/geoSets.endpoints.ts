import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { GeoSetBody, GeoSetList, GeoSetPath, GeoSetResponse } from './geoSets.schemas';
import * as geoSets from './geoSets';

export const geoSetEndpoints = {
  listGeoSets: endpoint({
    method: 'get',
    path: '/restrictions/geo/set',
    summary: 'The merchant’s sets of countries, regions and cities',
    auth: merchant('restrictions:write'),
    status: 200,
    response: GeoSetList,
    errors: [],
    handler: ({ caller }) => geoSets.listGeoSets(caller),
  }),
  createGeoSet: endpoint({
    method: 'post',
    path: '/restrictions/geo/set',
    summary:
      'Create a set of countries, regions and cities; a global one applies to every item that has no country set',
    auth: merchant('restrictions:write'),
    body: GeoSetBody,
    status: 201,
    response: GeoSetResponse,
    errors: ['recent_factor_required', 'recent_password_required'],
    handler: ({ caller, body }) => geoSets.createGeoSet(caller, body),
  }),
  getGeoSet: endpoint({
    method: 'get',
    path: '/restrictions/geo/set/{set_id}',
    summary: 'One geo set',
    auth: merchant('restrictions:write'),
    params: GeoSetPath,
    status: 200,
    response: GeoSetResponse,
    errors: ['geo_set_not_found'],
    handler: ({ caller, params }) => geoSets.getGeoSet(caller, params.set_id),
  }),
  updateGeoSet: endpoint({
    method: 'put',
    path: '/restrictions/geo/set/{set_id}',
    summary: 'Change a geo set',
    auth: merchant('restrictions:write'),
    params: GeoSetPath,
    body: GeoSetBody,
    status: 200,
    response: GeoSetResponse,
    errors: ['geo_set_not_found', 'recent_factor_required', 'recent_password_required'],
    handler: ({ caller, params, body }) => geoSets.updateGeoSet(caller, params.set_id, body),
  }),
  deleteGeoSet: endpoint({
    method: 'delete',
    path: '/restrictions/geo/set/{set_id}',
    summary: 'Delete a geo set',
    auth: withRecentFactor(merchant('restrictions:write')),
    params: GeoSetPath,
    status: 200,
    response: Message,
    errors: ['geo_set_not_found'],
    handler: ({ caller, params }) => geoSets.deleteGeoSet(caller, params.set_id),
  }),
};
