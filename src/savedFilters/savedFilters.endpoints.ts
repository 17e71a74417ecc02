import { anyMerchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  SavedFilterBody,
  SavedFilterList,
  SavedFilterPath,
  SavedFilterQuery,
  SavedFilterResponse,
} from './savedFilters.schemas';
import * as savedFilters from './savedFilters';

/** A filter belongs to one person, so no scope is required. The list that it filters requires its own scope. */
const auth = anyMerchant();
const path = '/v2/saved-filters';

export const savedFilterEndpoints = {
  listSavedFilters: endpoint({
    method: 'get',
    path,
    summary: 'List the filters that the person of the token has saved, of one list or of all',
    auth,
    query: SavedFilterQuery,
    status: 200,
    response: SavedFilterList,
    errors: [],
    handler: ({ caller, query }) => savedFilters.listSavedFilters(caller, query),
  }),
  createSavedFilter: endpoint({
    method: 'post',
    path,
    summary: 'Save the filter of a list under a name; the console shows it above the list',
    auth,
    body: SavedFilterBody,
    status: 201,
    response: SavedFilterResponse,
    errors: [],
    handler: ({ caller, body }) => savedFilters.createSavedFilter(caller, body),
  }),
  deleteSavedFilter: endpoint({
    method: 'delete',
    path: `${path}/{id}`,
    summary: 'Delete a saved filter',
    auth,
    params: SavedFilterPath,
    status: 200,
    response: Message,
    errors: ['saved_filter_not_found'],
    handler: ({ caller, params }) => savedFilters.deleteSavedFilter(caller, params.id),
  }),
};
