import { firstOf, statement } from '../adapters/postgres/statement';

export interface FavoriteRow {
  position: number;
  media_id: string;
  created_at: Date;
}

export interface WatchRow {
  position: number;
  media_id: string;
  progress: number;
  created_at: Date;
  updated_at: Date;
}

/** An item that is a favourite already keeps its position. */
export const insertFavorite = statement<FavoriteRow>(
  'media_favorite_insert',
  `INSERT INTO media_favorites AS f (merchant_id, account_id, profile_id, media_id) VALUES ($1, $2, $3, $4)
   ON CONFLICT ON CONSTRAINT media_favorites_media DO UPDATE SET media_id = f.media_id
   RETURNING position, media_id, created_at`,
);

/** The rows of an account and a profile (`$1`, `$2`). Rows without a profile have the viewer 0. */
const ofViewer = `account_id = $1 AND viewer = ${firstOf('$2::int', '0')}`;

export const findFavorite = statement<FavoriteRow>(
  'media_favorite_find',
  `SELECT position, media_id, created_at FROM media_favorites
   WHERE ${ofViewer} AND media_id = $3`,
);

export const deleteFavorite = statement<{ position: number }>(
  'media_favorite_delete',
  `DELETE FROM media_favorites WHERE ${ofViewer} AND media_id = $3
   RETURNING position`,
);

export const listFavorites = statement<FavoriteRow>(
  'media_favorites_list',
  `SELECT position, media_id, created_at FROM media_favorites
   WHERE ${ofViewer} AND ($3::bigint IS NULL OR position < $3)
   ORDER BY position DESC LIMIT $4`,
);

/** The item that was watched last moves to the front. */
export const upsertWatch = statement<WatchRow>(
  'media_watch_upsert',
  `INSERT INTO media_watches (merchant_id, account_id, profile_id, media_id, progress) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT ON CONSTRAINT media_watches_media
   DO UPDATE SET progress = excluded.progress, position = excluded.position, updated_at = now()
   RETURNING position, media_id, progress, created_at, updated_at`,
);

export const findWatch = statement<WatchRow>(
  'media_watch_find',
  `SELECT position, media_id, progress, created_at, updated_at FROM media_watches
   WHERE ${ofViewer} AND media_id = $3`,
);

export const deleteWatch = statement<{ position: number }>(
  'media_watch_delete',
  `DELETE FROM media_watches WHERE ${ofViewer} AND media_id = $3
   RETURNING position`,
);

export const listWatches = statement<WatchRow>(
  'media_watches_list',
  `SELECT position, media_id, progress, created_at, updated_at FROM media_watches
   WHERE ${ofViewer} AND ($3::bigint IS NULL OR position < $3)
     AND progress >= $5 AND progress < $6
   ORDER BY position DESC LIMIT $4`,
);
