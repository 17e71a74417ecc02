import { consumer, openToActors } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  FavoriteBody,
  FavoriteResponse,
  FavoritesQuery,
  MediaPath,
  WatchBody,
  WatchHistoryQuery,
  WatchResponse,
  listOf,
} from './media.schemas';
import * as media from './media';

const favorites = '/v2/accounts/media/favorites';
const watchHistory = '/v2/accounts/media/watch-history';

const ofViewer = { auth: consumer(), status: 200, errors: [] } as const;
const oneMedia = { auth: consumer(), status: 200, params: MediaPath, errors: ['media_not_found'] } as const;

const readable = openToActors('accounts:read', consumer());

export const mediaEndpoints = {
  listFavorites: endpoint({
    feature: 'favorites',
    ...ofViewer,
    auth: readable,
    method: 'get',
    path: favorites,
    summary: 'List the favourites of the account or profile, newest first',
    query: FavoritesQuery,
    response: listOf(FavoriteResponse),
    handler: ({ caller, query }) => media.listFavorites(caller, query),
  }),
  createFavorite: endpoint({
    feature: 'favorites',
    ...ofViewer,
    method: 'post',
    path: favorites,
    summary: 'Add a favourite',
    body: FavoriteBody,
    response: FavoriteResponse,
    handler: ({ caller, body }) => media.createFavorite(caller, body.media_id),
  }),
  getFavorite: endpoint({
    feature: 'favorites',
    ...oneMedia,
    auth: readable,
    method: 'get',
    path: `${favorites}/{media_id}`,
    summary: 'Get whether an item is a favourite, and since when',
    response: FavoriteResponse,
    handler: ({ caller, params }) => media.getFavorite(caller, params.media_id),
  }),
  deleteFavorite: endpoint({
    feature: 'favorites',
    ...oneMedia,
    method: 'delete',
    path: `${favorites}/{media_id}`,
    summary: 'Remove a favourite',
    response: Message,
    handler: ({ caller, params }) => media.deleteFavorite(caller, params.media_id),
  }),
  listWatchHistory: endpoint({
    feature: 'watch_history',
    ...ofViewer,
    auth: readable,
    method: 'get',
    path: watchHistory,
    summary: 'List the watch history of the account or profile, newest first',
    query: WatchHistoryQuery,
    response: listOf(WatchResponse),
    handler: ({ caller, query }) => media.listWatchHistory(caller, query),
  }),
  updateWatchHistory: endpoint({
    feature: 'watch_history',
    ...ofViewer,
    method: 'patch',
    path: watchHistory,
    summary: 'Store the watched share of an item',
    body: WatchBody,
    response: WatchResponse,
    handler: ({ caller, body }) => media.updateWatchHistory(caller, body),
  }),
  getWatch: endpoint({
    feature: 'watch_history',
    ...oneMedia,
    auth: readable,
    method: 'get',
    path: `${watchHistory}/{media_id}`,
    summary: 'Get the watched share of an item',
    response: WatchResponse,
    handler: ({ caller, params }) => media.getWatch(caller, params.media_id),
  }),
  deleteWatch: endpoint({
    feature: 'watch_history',
    ...oneMedia,
    method: 'delete',
    path: `${watchHistory}/{media_id}`,
    summary: 'Remove an item from the watch history',
    response: Message,
    handler: ({ caller, params }) => media.deleteWatch(caller, params.media_id),
  }),
};
