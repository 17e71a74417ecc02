import { createHash } from 'node:crypto';
import { claimedApp } from '../../adapters/appStores';
import { type AppStore, type StoreName, type StoreNotification } from '../../adapters/appStores/store';
import { countStoreNotification } from '../../adapters/metrics';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { seal } from '../../adapters/sealing';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unclaimedPurchaseWorkflowId } from '../../../workflows/messages';
import { findPurchase, promiseLook } from '../purchases/service';
import { listStoresOfApp } from '../stores/service';
import { findLookUp, keepNotification } from './model';

/** A store waits for its answer: what must be fetched to check a signature is fetched in this, or sent again later. */
const verifyMs = 900;
const bodyPurpose = 'store-notification';

/**
 * Takes what a store tells: verified with the credentials of the merchants whose app it names, kept, and passed on as
 * "look again" to the purchase's workflow. Forged ones are answered 4xx, and nothing of them is kept. One that cannot be
 * checked just now is answered 503, so that the store sends it again.
 */
export async function receiveNotification(name: StoreName, request: RequestFacts) {
  await receive(name, request);
  return message('Received');
}

/** The same from a store that wants to read its own word in the answer. */
export async function receivePush(name: StoreName, request: RequestFacts): Promise<Answer<string>> {
  return new Answer(await receive(name, request), { contentType: 'text/plain' });
}

async function receive(name: StoreName, { raw }: RequestFacts): Promise<string> {
  if (!raw) throw new AppError('malformed_request');
  const { notification, merchantIds } = await verify(name, raw);
  const queued = await transaction((inTransaction) => keep(inTransaction, name, notification, merchantIds, raw.body));
  countStoreNotification(name, queued === 'known' ? 'repeated' : 'taken');
  if (queued !== undefined && queued !== 'known') await sendNow(queued);
  return notification.reply ?? '';
}

async function verify(name: StoreName, raw: NonNullable<RequestFacts['raw']>) {
  const merchants = await listStoresOfApp(name, claimedApp(name, raw.body), verifyMs);
  try {
    return await verifyAmong(merchants, raw);
  } catch (error) {
    countStoreNotification(name, error instanceof AppError ? error.code : 'failed');
    throw error;
  }
}

/** Merchants may share an app: it is meant for those whose credentials it fits. */
async function verifyAmong(
  merchants: readonly { merchantId: number; store: AppStore }[],
  { body, headers }: NonNullable<RequestFacts['raw']>,
) {
  let refusal = new AppError('invalid_signature');
  let notification: StoreNotification | undefined;
  const merchantIds: number[] = [];
  for (const { merchantId, store } of merchants) {
    try {
      notification = await store.readNotification(body, headers);
      merchantIds.push(merchantId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'service_unavailable') refusal = error;
    }
  }
  if (!notification) throw refusal;
  return { notification, merchantIds };
}

/** Nobody may have claimed the purchase yet: then it is kept, and looked at when its app has had its time. */
async function keep(
  inTransaction: Transaction,
  name: StoreName,
  { id, purchase, type, at }: StoreNotification,
  merchantIds: readonly number[],
  body: Buffer,
): Promise<OutboxRow | 'known' | undefined> {
  const notificationId = id === '' ? createHash('sha256').update(body).digest('hex') : id.slice(0, 500);
  const toldAt = Number.isNaN(at.getTime()) ? new Date() : at;
  const lookUpId = name === 'roku' ? (purchase?.transactionId ?? null) : null;
  const isNew = await keepNotification(inTransaction, [
    ...[name, notificationId, merchantIds[0], purchase?.id ?? null, lookUpId, type.slice(0, 200), toldAt],
    seal(bodyPurpose, body.toString('utf8')),
  ]);
  if (!isNew) return 'known';
  const row = purchase && (await findPurchase(inTransaction, name, purchase.id));
  if (purchase && !row) return promiseAdoption(inTransaction, name, notificationId, merchantIds[0]);
  if (!row || !merchantIds.includes(row.merchantId)) return undefined;
  const latest = await findLookUpId(inTransaction, name, row.originalId);
  if (latest !== undefined) await row.update({ lookUpId: latest }, { transaction: inTransaction });
  return promiseLook(inTransaction, row, notificationId);
}

function promiseAdoption(
  inTransaction: Transaction,
  store: StoreName,
  notificationId: string,
  merchantId: number | undefined,
): Promise<OutboxRow> | undefined {
  // Amazon names no account, neither by the app's word nor by another purchase.
  if (store === 'amazon' || merchantId === undefined) return undefined;
  const name = createHash('sha256').update(notificationId).digest('hex').slice(0, 32);
  const workflowId = unclaimedPurchaseWorkflowId(store, name);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'unclaimedPurchase',
    workflowId,
    input: { store, notificationId },
    labels: { merchantId, state: 'pending', requestId: '', summary: store },
  });
}

/** What a store must be asked by that has told of a later transaction than the claim was of: Roku alone. */
export function findLookUpId(inTransaction: Transaction, store: StoreName, originalId: string) {
  return findLookUp(inTransaction, store, originalId);
}
