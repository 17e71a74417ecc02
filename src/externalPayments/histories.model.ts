import { isHere } from '../adapters/postgres/moving';
import { statement } from '../adapters/postgres/statement';
import { type Store } from './purchases/purchases.model';

/** An app in one store. `readUntil` is the time up to which its history was read; null if it never was. */
export interface AppHistory {
  store: Store;
  app: string;
  readUntil: Date | null;
}

const appsStatement = statement<AppHistory>(
  'store_apps_with_history',
  `SELECT c.store, c.app, h.read_until AS "readUntil"
   FROM (SELECT DISTINCT store, app FROM store_credentials WHERE store IN ('apple', 'google-play')
     AND ${isHere('store_credentials.merchant_id')}) c
   LEFT JOIN store_histories h ON h.store = c.store AND h.app = c.app ORDER BY c.store, c.app`,
);

/** Lists the apps in stores that offer a history. An app that several merchants share is listed once. */
export function listApps(): Promise<AppHistory[]> {
  return appsStatement([]);
}

const readStatement = statement(
  'store_history_read',
  `INSERT INTO store_histories AS h (store, app, read_until) VALUES ($1, $2, $3)
   ON CONFLICT (store, app) DO UPDATE SET read_until = greatest(h.read_until, excluded.read_until)`,
);

export async function saveReadUntil({ store, app }: AppHistory, until: Date): Promise<void> {
  await readStatement([store, app, until]);
}
