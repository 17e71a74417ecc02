import { query, statement } from '../adapters/postgres/statement';

export interface NewEvent {
  merchantId: number;
  type: string;
  itemId: number | undefined;
  sessionHash: Buffer;
  countryIso: string;
  device: string;
}

const insertStatement = statement(
  'analytics_event',
  `WITH visit AS (
     INSERT INTO analytics_visits (merchant_id, day, session_hash, country_iso, device)
     SELECT $1, utc_day(merchant_now($1)), $4, $5, $6 WHERE $2 IN ('paywall_view', 'preview_view') ON CONFLICT DO NOTHING
   )
   INSERT INTO analytics_events (merchant_id, day, type, item_id, session_hash)
   SELECT $1, utc_day(merchant_now($1)), $2, $3, $4 ON CONFLICT DO NOTHING`,
);

/** An event counts once per day, session, type and item. */
export async function insertEvent({ merchantId, type, itemId = 0, sessionHash, countryIso, device }: NewEvent) {
  await insertStatement([merchantId, type, itemId, sessionHash, countryIso, device]);
}

/** The titles of the given items that belong to the merchant. */
export function selectTitles(merchantId: number, ids: number[]): Promise<{ id: number; title: string }[]> {
  return query('SELECT id, title FROM items WHERE merchant_id = $1 AND id = ANY($2) ORDER BY id', [merchantId, ids]);
}
