import { join } from 'node:path';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { createEmpty, dropDatabase } from '../database';
import { startProduct } from '../parts';
import { startBenchPostgres } from '../server';
import { createMeter, type Cost } from './costs';
import { measureChecks, measureDeliveries, measurePurchases, measureSocketEvents, type SocketCosts } from './loads';
import { measureNight, type Night } from './night';
import { holdRounds, measureRebuild, type Rebuild } from './rebuild';
import { addSubscribers, type Subscribers } from './subscribers';

export interface Scale {
  subscribers: Subscribers;
  rebuild: Rebuild;
  night: Night;
  /** Of purchases, access checks and webhook events. */
  costs: Cost[];
  sockets: SocketCosts;
}

interface Wanted {
  subscriptions: number;
  /** How many runs are started in Temporal, at most, within ten minutes. */
  runs: number;
  renewals: number;
  folder: string;
  benchFolder: string;
  processes: ProcessGroup;
  tell: (what: string) => void;
}

const scaleDatabase = 'paywall_scale';
const rebuildForMs = 10 * 60_000;

/** Starts the product on a database of its own, and measures one kind of work after the other. */
export async function measureScale(wanted: Wanted): Promise<Scale> {
  const { subscriptions, runs, renewals, folder, benchFolder, processes, tell } = wanted;
  tell('starting PostgreSQL, Temporal, the API and the worker');
  const { url: serverUrl, runtimeUrl } = await startBenchPostgres(benchFolder, processes);
  const product = await startProduct({ url: await createEmpty(serverUrl, scaleDatabase), runtimeUrl }, processes);
  await holdRounds(product.databaseUrl);
  tell(`${subscriptions} copies of a purchase`);
  const subscribers = await addSubscribers(product, subscriptions);
  const meter = await createMeter(product);
  const setting = { product, meter, subscribers, tell };
  tell('access checks');
  const checks = await measureChecks(setting);
  tell('purchases');
  const purchases = await measurePurchases(setting);
  tell('webhook events');
  const webhooks = await measureDeliveries(setting);
  tell('sockets');
  const sockets = await measureSocketEvents(setting);
  const night = await measureNight(product, meter, { subscribers, renewals, tell });
  tell(`up to ${runs} runs of the copies in Temporal`);
  const storeFile = join(folder, 'temporal.db');
  const rebuild = await measureRebuild(product, meter, { storeFile, forMs: rebuildForMs, atMost: runs });
  await dropDatabase(serverUrl, scaleDatabase);
  return { subscribers, rebuild, night, costs: [checks, purchases, webhooks], sockets };
}
