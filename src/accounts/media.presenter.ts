import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type FavoriteRow, type WatchRow } from './media.model';
import { type FavoriteResponse, type WatchResponse } from './media.schemas';

export function presentFavorite(row: FavoriteRow): z.output<typeof FavoriteResponse> {
  return { media_id: row.media_id, created_at: unixSeconds(row.created_at) };
}

export function presentWatch(row: WatchRow): z.output<typeof WatchResponse> {
  return {
    media_id: row.media_id,
    progress: row.progress,
    created_at: unixSeconds(row.created_at),
    updated_at: unixSeconds(row.updated_at),
  };
}
