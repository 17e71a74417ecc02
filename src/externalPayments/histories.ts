import { type AppStore, type StoreHistory } from '../adapters/appStores/store';
import { merchantNow } from '../adapters/clock';
import { logger } from '../adapters/logger';
import { sendNow } from '../adapters/outbox';
import { transaction } from '../adapters/postgres/connection';
import { AppError } from '../kit/errors';
import { type StoreHistoriesRead } from '../../workflows/messages';
import { answerWaitingRequests } from './consumption';
import { receiveBody } from './notifications';
import { keepListedRefund, settleEarlierRefunds } from './purchases/refunds';
import { findPurchase, enqueueSync } from './purchases/purchases';
import { listStoresOfApp } from '../stores/stores';
import { listApps, saveReadUntil, type AppHistory } from './histories.model';

const timeoutMs = 10_000;
/** Readings overlap by this time, because a store may list an event late. */
const overlapMs = 3_600_000;
/** Google lists no older voided purchases. */
const oldestMs = 30 * 86_400_000;

/**
 * Reads the events of each app since the last successful reading: missed notifications and voided purchases. It needs
 * one reading per app, not one request per purchase.
 */
export async function readStoreHistories(): Promise<StoreHistoriesRead> {
  const failed: string[] = [];
  const apps = await listApps();
  for (const app of apps) if (!(await readApp(app))) failed.push(`${app.store} ${app.app}`);
  await answerWaitingRequests();
  return { apps: apps.length, failed };
}

/**
 * Reads an app's history with the credentials of any of its merchants. False if none of them worked, or if a notification
 * could not be processed; the next reading then starts from the same time.
 */
async function readApp(app: AppHistory): Promise<boolean> {
  const begunAt = new Date();
  const earliest = begunAt.getTime() - oldestMs;
  const since = new Date(Math.max(earliest, (app.readUntil?.getTime() ?? earliest) - overlapMs));
  const merchants = await listStoresOfApp(app.store, { app: app.app }, timeoutMs);
  const merchantIds = merchants.map(({ merchantId }) => merchantId);
  for (const { store } of merchants) {
    const history = await findHistory(store, since);
    if (!history) continue;
    let isComplete = true;
    for (const body of history.notifications) if (!(await takeNotification(store, body))) isComplete = false;
    for (const refund of history.refunds) await takeRefund(store, merchantIds, refund);
    if (isComplete) await saveReadUntil(app, begunAt);
    return isComplete;
  }
  return false;
}

async function findHistory(store: AppStore, since: Date): Promise<StoreHistory | undefined> {
  try {
    return await store.readHistory?.(since);
  } catch (error) {
    // Only the error's name is logged: its message may contain a URL with a secret.
    const reason = error instanceof Error ? error.name : 'unknown';
    logger.warn({ store: store.name, reason }, 'the history of a store could not be read');
    return undefined;
  }
}

/**
 * Processes a missed notification as if it were received now. A repeated one changes nothing, and a refused one is skipped
 * for good. False if it could not be processed now.
 */
async function takeNotification({ name }: AppStore, body: Buffer): Promise<boolean> {
  try {
    await receiveBody(name, { body, headers: {} });
    return true;
  } catch (error) {
    const reason = error instanceof AppError ? error.code : error instanceof Error ? error.name : 'unknown';
    logger.warn({ store: name, reason }, 'a notification from a history could not be processed');
    return error instanceof AppError && error.code !== 'service_unavailable';
  }
}

/** The list is the store's own, so it is true for all merchants with the app. */
async function takeRefund(
  { name }: AppStore,
  merchantIds: readonly number[],
  refund: StoreHistory['refunds'][number],
): Promise<void> {
  const queued = await transaction(async (inTransaction) => {
    if (!(await keepListedRefund(inTransaction, { merchantIds, store: name }, refund))) return undefined;
    const row = await findPurchase(inTransaction, name, refund.originalId);
    if (!row) return undefined;
    await settleEarlierRefunds(inTransaction, row, await merchantNow(row.merchantId, inTransaction));
    return enqueueSync(inTransaction, row, `voided:${refund.transactionId}`);
  });
  if (queued) await sendNow(queued);
}
