import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type StoreName } from '../../src/adapters/appStores/store';
import { type Sending } from '../../scripts/storeSimulator/face';
import { type Order, type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';
import {
  appNames,
  receiptOf,
  registerApps,
  startStores as openStores,
  storeFields,
  type StoreApps,
  type Stores,
} from '../../scripts/storeSimulator/stores';
import { type StoreHistoriesRead } from '../../workflows/messages';
import { call, type Reply } from './client';
import { createShop, type Person, type Shop } from './factories';
import { startApp, type TestApp } from './startApp';
import { connectTemporal, type TemporalClient } from './temporalClient';
import { until } from './until';

export { receiptOf, registerApps, storeFields, type StoreApps, type Stores } from '../../scripts/storeSimulator/stores';

/** The stores of a test file, with what makes the product ask them: for `startApp`. */
export async function startStores(): Promise<Stores> {
  const rootsFile = join(process.env['TEST_DATA_DIR'] ?? '', `apple-root-${randomUUID()}.pem`);
  const stores = await openStores({ rootsFile });
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
  return { ...stores, environment: { ...stores.environment, ENCRYPTION_KEY } };
}

export interface StoreApp {
  app: TestApp;
  stores: Stores;
  temporal: TemporalClient;
  stop: () => Promise<void>;
}

/** The service with its worker and simulated stores. `environment`: more settings of the service. */
export async function startStoreApp(environment: Record<string, string> = {}): Promise<StoreApp> {
  const stores = await startStores();
  const app = await startApp({ ...stores.environment, ...environment });
  await app.startWorker();
  const temporal = await connectTemporal();
  const stop = async () => {
    await temporal.close();
    await app.stop();
    await stores.simulator.stop();
  };
  return { app, stores, temporal, stop };
}

/** A shop that sells in all four stores. */
export interface StoreShop extends Shop {
  apps: StoreApps;
  app: TestApp;
  stores: Stores;
}

export async function createStoreShop(
  app: TestApp,
  stores: Stores,
  feeFields: Record<string, unknown> = {},
  apps = registerApps(stores),
): Promise<StoreShop> {
  const shop = await createShop(app, feeFields);
  for (const store of Object.keys(apps) as StoreName[]) await setStore(app, shop.merchant, apps, store);
  return { ...shop, app, stores, apps };
}

/** For one test: a new shop, stores that send their notifications at once, and one time for both. */
export async function createNotifiedShop(app: TestApp, stores: Stores): Promise<StoreShop> {
  const shop = await createStoreShop(app, stores);
  stores.simulator.setTarget(app.address);
  stores.simulator.setHealth('well');
  stores.simulator.setDelivery('at once');
  await moveToPresent(shop);
  return shop;
}

/** For one test: a new shop, and stores that answer requests and send no notifications. */
export async function createQuietShop(app: TestApp, stores: Stores): Promise<StoreShop> {
  const shop = await createStoreShop(app, stores);
  stores.simulator.setHealth('well');
  stores.simulator.setDelivery('never');
  return shop;
}

export function setStore(app: TestApp, merchant: Person, apps: StoreApps, store: StoreName): Promise<Reply<object>> {
  return call<object>(app, 'PUT', `/stores/${store}`, storeFields[store](apps[store] as never), merchant);
}

/** Buys in a store, as the shop's app would: by default the shop's fee, named `<item>_<access fee>`. */
export function buy(shop: StoreShop, store: StoreName, order: Partial<Order> = {}): SimulatedPurchase {
  return buyIn(shop.stores, shop.apps, store, `${shop.item.id}_${shop.fee.id}`, order);
}

export function buyIn(
  { simulator }: Stores,
  apps: StoreApps,
  store: StoreName,
  productId: string,
  order: Partial<Order> = {},
): SimulatedPurchase {
  return simulator.market.buy({ store, app: appNames[store](apps), productId, kind: 'subscription', ...order });
}

export interface Accepted {
  code: number;
  message: string;
  external_payment_id: string;
}

export function present(
  shop: StoreShop,
  purchase: SimulatedPurchase,
  fields: Record<string, unknown> = {},
  caller: Person = shop.consumer,
): Promise<Reply<Accepted>> {
  const body = { ...receiptOf(shop.stores, purchase), product_name: purchase.productId, ...fields };
  return call<Accepted>(shop.app, 'POST', `/v2/external-payments/${purchase.store}/validate`, body, caller);
}

export interface ClaimRow {
  id: number;
  state: string;
  reason: string | null;
  sealed_claim: Buffer | null;
  attempt: number;
  store_purchase_id: number | null;
}

export async function claimRow({ app }: Pick<StoreShop, 'app'>, token: string): Promise<ClaimRow> {
  const { rows } = await app.pool.query<ClaimRow>('SELECT * FROM external_payments WHERE token = $1', [token]);
  const [row] = rows;
  if (!row) throw new Error(`there is no claim ${token}`);
  return row;
}

/** Waits until a claim is settled. */
export function settled(shop: Pick<StoreShop, 'app'>, { body }: Reply<Accepted>): Promise<ClaimRow> {
  return until(async () => {
    const row = await claimRow(shop, body.external_payment_id);
    return row.state !== 'pending' && row;
  });
}

export interface ToldEvent {
  type: string;
  resource: Record<string, unknown>;
}

/** All events of an account so far, oldest first. */
export async function eventsOf({ app }: Pick<StoreShop, 'app'>, { id }: Person): Promise<ToldEvent[]> {
  const text = 'SELECT type, resource FROM events WHERE account_id = $1 ORDER BY sequence';
  return (await app.pool.query<ToldEvent>(text, [id])).rows;
}

export async function mayWatch({ app, item }: StoreShop, person: Person): Promise<boolean> {
  return (await call(app, 'GET', `/items/${item.id}/access`, undefined, person)).status === 200;
}

/** Moves the stores' market and the merchant's own clock to the same instant, and wakes what waits for it. */
export async function moveClock(shop: StoreShop, to: Date): Promise<void> {
  const { app, merchant, stores } = shop;
  // A time before the present of the market is refused.
  await call(app, 'POST', '/test-clock', { to: to.toISOString() }, merchant);
  // The clock first: a notification of what the market does must not come before its time.
  stores.simulator.market.advance(to);
}

/** Moves both clocks to the present, or to the time of the market if it is later. */
export function moveToPresent(shop: StoreShop): Promise<void> {
  return moveClock(shop, new Date(Math.max(Date.now(), shop.stores.simulator.market.now.getTime())));
}

/** Reads the histories of all stores, as the schedule does every hour. */
export function readHistories({ client }: TemporalClient): Promise<StoreHistoriesRead> {
  return client.workflow.execute<() => Promise<StoreHistoriesRead>>('storeHistories', {
    taskQueue: process.env['TEMPORAL_TASK_QUEUE'] ?? '',
    workflowId: `store-histories-${randomUUID()}`,
    args: [],
  });
}

/** What a store would send of what happens in `during`; it sends nothing of it. */
export async function capture({ simulator }: Stores, during: () => unknown): Promise<Sending[]> {
  const captured: Sending[] = [];
  simulator.setDelivery('kept');
  await during();
  await simulator.sendKept((kept) => {
    captured.push(...kept);
    return [];
  });
  simulator.setDelivery('never');
  return captured;
}

/** Sends as a store does; what is answered, as text. */
export async function push(app: TestApp, { path, headers, body }: Sending): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${app.address}${path}`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

export interface KeptNotification {
  notification_id: string;
  original_id: string | null;
  type: string;
  sealed_body: Buffer;
}

export async function keptNotifications({ app, merchant }: StoreShop): Promise<KeptNotification[]> {
  const text = 'SELECT * FROM store_notifications WHERE merchant_id = $1 ORDER BY received_at';
  return (await app.pool.query<KeptNotification>(text, [merchant.id])).rows;
}

/** Waits until a purchase's workflow has no message and no activity left. */
export async function isQuiet(app: TestApp, { begun }: TemporalClient, token: string): Promise<boolean> {
  const { rows } = await app.pool.query('SELECT 1 FROM outbox WHERE workflow_id LIKE $1', [`%${token}%`]);
  if (rows.length > 0) return false;
  const { raw } = await (await begun(`store-purchase-${token}`)).describe();
  return (raw.pendingActivities ?? []).length === 0 && !raw.pendingWorkflowTask;
}
