import { z } from 'zod';
import { formInt } from '../kit/form';

const MediaId = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().min(1).max(255),
);

// The watched share of a film. JavaScript writes it with up to 17 digits, or as 1e-7.
const shareText = /^\d(\.\d{1,20})?(e-\d{1,3})?$/i;

const Progress = z.preprocess(
  (value) => (typeof value === 'string' && shareText.test(value) ? Number(value) : value),
  z.number('must be a number from 0 to 1').min(0, 'must be at least 0').max(1, 'must be at most 1'),
);

export const MediaPath = z.object({ media_id: MediaId });

export const FavoriteBody = z.object({ media_id: MediaId });

export const WatchBody = z.object({ media_id: MediaId, progress: Progress });

/**
 * `cursor` is the position where the previous page ended. Clients show 48 items of a list without paging, so a page has
 * 48 items by default.
 */
export const FavoritesQuery = z.object({
  cursor: formInt().pipe(z.int().min(0)).optional(),
  limit: formInt().pipe(z.int().min(1).max(500)).default(50),
});

export const WatchHistoryQuery = FavoritesQuery.extend({
  filter: z.enum(['all', 'watched', 'currently_watching']).default('all'),
});

export const FavoriteResponse = z.object({ media_id: z.string(), created_at: z.int() });

export const WatchResponse = z.object({
  media_id: z.string(),
  progress: z.number(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** `cursor` is empty at the end of the list. */
export const listOf = <T extends z.ZodType>(element: T) =>
  z.object({ collection: z.array(element), cursor: z.string() });
