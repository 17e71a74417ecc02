import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { getViewer } from './profiles';
import * as media from './media.model';
import { presentFavorite, presentWatch } from './media.presenter';
import { type FavoritesQuery, type WatchBody, type WatchHistoryQuery } from './media.schemas';

/**
 * From this share on a film counts as seen, because few people watch the credits. Existing players use the same share.
 */
const watchedFrom = 0.95;

/** A film is in progress between the two shares. */
const shares: Record<z.output<typeof WatchHistoryQuery>['filter'], [number, number]> = {
  all: [0, Infinity],
  watched: [watchedFrom, Infinity],
  currently_watching: [0, watchedFrom],
};

export async function listFavorites(caller: Caller, query: z.output<typeof FavoritesQuery>) {
  const { accountId, profileId } = await getViewer(caller);
  const rows = await media.listFavorites([accountId, profileId, query.cursor ?? null, query.limit + 1]);
  return pageOf(rows, query.limit, presentFavorite);
}

export async function createFavorite(caller: Caller, mediaId: string) {
  const { merchantId, accountId, profileId } = await getViewer(caller);
  const [row] = await media.insertFavorite([merchantId, accountId, profileId, mediaId]).catch(refuseDeletedProfile);
  return presentFavorite(existing(row));
}

export async function getFavorite(caller: Caller, mediaId: string) {
  const { accountId, profileId } = await getViewer(caller);
  const [row] = await media.findFavorite([accountId, profileId, mediaId]);
  return presentFavorite(existing(row));
}

export async function deleteFavorite(caller: Caller, mediaId: string) {
  const { accountId, profileId } = await getViewer(caller);
  const [row] = await media.deleteFavorite([accountId, profileId, mediaId]);
  existing(row);
  return message('Media item has been successfully removed from favorites.');
}

export async function listWatchHistory(caller: Caller, query: z.output<typeof WatchHistoryQuery>) {
  const { accountId, profileId } = await getViewer(caller);
  const values = [accountId, profileId, query.cursor ?? null, query.limit + 1, ...shares[query.filter]];
  return pageOf(await media.listWatches(values), query.limit, presentWatch);
}

export async function updateWatchHistory(caller: Caller, input: z.output<typeof WatchBody>) {
  const { merchantId, accountId, profileId } = await getViewer(caller);
  const values = [merchantId, accountId, profileId, input.media_id, input.progress];
  const [row] = await media.upsertWatch(values).catch(refuseDeletedProfile);
  return presentWatch(existing(row));
}

export async function getWatch(caller: Caller, mediaId: string) {
  const { accountId, profileId } = await getViewer(caller);
  const [row] = await media.findWatch([accountId, profileId, mediaId]);
  return presentWatch(existing(row));
}

export async function deleteWatch(caller: Caller, mediaId: string) {
  const { accountId, profileId } = await getViewer(caller);
  const [row] = await media.deleteWatch([accountId, profileId, mediaId]);
  existing(row);
  return message('Media item has been successfully removed from the list.');
}

function existing<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new AppError('media_not_found');
  return row;
}

/** The query reads one row more than the limit, which shows whether there is a next page. */
function pageOf<Row extends { position: number }, Shown>(rows: Row[], limit: number, present: (row: Row) => Shown) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { collection: shown.map(present), cursor: last === undefined ? '' : String(last.position) };
}

/** The token's profile was deleted between its check and the write. */
function refuseDeletedProfile(error: unknown): never {
  if ((error as { code?: unknown }).code === '23503') throw new AppError('invalid_auth_token');
  throw error;
}
