import { type z } from 'zod';
import { type FavoriteResponse, type WatchResponse } from '../../src/accounts/media.schemas';
import { call } from './client';
import { type TestApp } from './startApp';

type Favorite = z.output<typeof FavoriteResponse>;
type Watch = z.output<typeof WatchResponse>;
type App = Pick<TestApp, 'address'>;
type Viewer = { token: string };

export const favoritesPath = '/v2/accounts/media/favorites';
export const watchHistoryPath = '/v2/accounts/media/watch-history';

export const addFavorite = (app: App, viewer: Viewer, mediaId: string) =>
  call<Favorite>(app, 'POST', favoritesPath, { media_id: mediaId }, viewer);

export const listFavorites = (app: App, viewer: Viewer, query = '') =>
  call<{ collection: Favorite[]; cursor: string }>(app, 'GET', `${favoritesPath}${query}`, undefined, viewer);

export const watch = (app: App, viewer: Viewer, mediaId: string, progress: unknown) =>
  call<Watch>(app, 'PATCH', watchHistoryPath, { media_id: mediaId, progress }, viewer);

export const listWatchHistory = (app: App, viewer: Viewer, query = '') =>
  call<{ collection: Watch[]; cursor: string }>(app, 'GET', `${watchHistoryPath}${query}`, undefined, viewer);

export const idsOf = ({ body }: { body: { collection: { media_id: string }[] } }) =>
  body.collection.map(({ media_id }) => media_id);

export const favoritesOf = async (app: App, viewer: Viewer) => idsOf(await listFavorites(app, viewer));

export const watchedBy = async (app: App, viewer: Viewer, query = '') =>
  idsOf(await listWatchHistory(app, viewer, query));
