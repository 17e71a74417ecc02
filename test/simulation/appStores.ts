import { z } from 'zod';

/** The app stores whose purchases customers present. */
const stores = ['apple', 'google-play'] as const;
export type StoreName = (typeof stores)[number];

export interface StoreApp {
  store: StoreName;
  app: string;
  /** What the merchant tells the service about its app. */
  fields: Record<string, string | number>;
}

/** What an app on a device has after a purchase. */
export interface StorePurchase {
  store: StoreName;
  id: string;
  receipt: Record<string, string>;
}

const App = z.object({ app: z.string(), fields: z.record(z.string(), z.union([z.string(), z.number()])) });
const Bought = z.object({ id: z.string(), receipt: z.record(z.string(), z.string()) });

/** A merchant has an app in each store. */
export async function registerStoreApps(url: string): Promise<StoreApp[]> {
  return Promise.all(stores.map(async (store) => ({ store, ...App.parse(await order(url, 'apps', { store })) })));
}

/** The store has the money of the customer. */
export async function buyInStore(url: string, { store, app }: StoreApp, productId: string): Promise<StorePurchase> {
  const fields = { store, app, product_id: productId, kind: 'one_time' };
  return { store, ...Bought.parse(await order(url, 'purchases', fields)) };
}

/** Commands to the simulated stores. */
async function order(url: string, path: string, fields: object): Promise<unknown> {
  const answer = await fetch(`${url}/simulator/${path}`, { method: 'POST', body: JSON.stringify(fields) });
  if (!answer.ok) throw new Error(`the stores answered ${answer.status} to ${path}: ${await answer.text()}`);
  return answer.json();
}
