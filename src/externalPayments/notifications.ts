import { createHash } from 'node:crypto';
import { refuseMoving } from '../accounts/merchants/states';
import { claimedApp } from '../adapters/appStores';
import { type AppStore, type StoreName, type StoreNotification } from '../adapters/appStores/store';
import { merchantNow } from '../adapters/clock';
import { countStoreNotification } from '../adapters/processMetrics';
import { enqueue, type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { seal } from '../adapters/sealing';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { unclaimedPurchaseWorkflowId } from '../../workflows/messages';
import { keepConsumptionRequest } from './consumption';
import { keepUnclaimed } from './unclaimed.model';
import { keepNotifiedRefund, settleEarlierRefunds, publishDeclinedRefund } from './purchases/refunds';
import { findPurchase, enqueueSync } from './purchases/purchases';
import { listStoresOfApp } from '../stores/stores';
import { findLookUp, keepNotification } from './notifications.model';

/**
 * The time limit for fetches that verifying a notification needs. A store waits for its answer; after the limit it gets
 * 503 and sends the notification again.
 */
const verifyMs = 900;
const bodyPurpose = 'store-notification';

/**
 * Receives a store's notification: verifies it with the credentials of the merchants whose app it names, keeps it, and
 * signals the purchase's workflow to ask the store again. A forged one is answered with 4xx and is not kept. One that
 * cannot be verified now is answered with 503, so that the store sends it again.
 */
export async function receiveNotification(name: StoreName, request: RequestFacts) {
  await receive(name, request);
  return message('Received');
}

/** Receives a notification from a store that expects a certain text in the response. */
export async function receivePush(name: StoreName, request: RequestFacts): Promise<Answer<string>> {
  return new Answer(await receive(name, request), { contentType: 'text/plain' });
}

function receive(name: StoreName, { raw }: RequestFacts): Promise<string> {
  if (!raw) throw new AppError('malformed_request', { explain: 'The body is empty.' });
  return receiveBody(name, raw);
}

/** Receives the body of a notification, also one that was read from a store's history. */
export async function receiveBody(name: StoreName, raw: NonNullable<RequestFacts['raw']>): Promise<string> {
  const { notification, merchantIds: receivers } = await verify(name, raw);
  const merchantIds = await refuseMoving(receivers);
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

/** Merchants may share an app. The notification is for those whose credentials verify it. */
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

/**
 * Keeps a verified notification. If no account has claimed its purchase, the purchase is adopted after its app has had
 * time to present it.
 */
async function keep(
  inTransaction: Transaction,
  name: StoreName,
  notification: StoreNotification,
  merchantIds: readonly number[],
  body: Buffer,
): Promise<OutboxRow | 'known' | undefined> {
  const { id, purchase, type, at } = notification;
  const notificationId = id === '' ? createHash('sha256').update(body).digest('hex') : id.slice(0, 500);
  const toldAt = Number.isNaN(at.getTime()) ? new Date() : at;
  // A refund may be of an earlier payment, whose id does not lead to the purchase's current state.
  const lookUpId = name === 'roku' && !notification.refund ? (purchase?.transactionId ?? null) : null;
  const isNew = await keepNotification(inTransaction, [
    ...[name, notificationId, merchantIds[0], purchase?.id ?? null, lookUpId, type.slice(0, 200), toldAt],
    seal(bodyPurpose, body.toString('utf8')),
  ]);
  if (!isNew) return 'known';
  const kept = { ...notification, id: notificationId, at: toldAt };
  await keepNotifiedRefund(inTransaction, { merchantIds, store: name }, kept);
  await keepConsumptionRequest(inTransaction, name, kept);
  const row = purchase && (await findPurchase(inTransaction, name, purchase.id));
  if (purchase && !row) return enqueueUnclaimedPurchase(inTransaction, name, notificationId, merchantIds);
  if (!row || !merchantIds.includes(row.merchantId)) return undefined;
  const latest = await findLookUpId(inTransaction, name, row.originalId);
  if (latest !== undefined) await row.update({ lookUpId: latest }, { transaction: inTransaction });
  await settleEarlierRefunds(inTransaction, row, await merchantNow(row.merchantId, inTransaction));
  if (notification.isRefundDeclined) await publishDeclinedRefund(inTransaction, row, notificationId);
  return enqueueSync(inTransaction, row, notificationId);
}

async function enqueueUnclaimedPurchase(
  inTransaction: Transaction,
  store: StoreName,
  notificationId: string,
  merchantIds: readonly number[],
): Promise<OutboxRow | undefined> {
  const [merchantId] = merchantIds;
  // Amazon's notifications name no account, neither directly nor through another purchase.
  if (store === 'amazon' || merchantId === undefined) return undefined;
  // The notification's id is hashed, because it may contain characters that a workflow id must not have.
  const token = `${store}-${createHash('sha256').update(notificationId).digest('hex').slice(0, 32)}`;
  const workflowId = unclaimedPurchaseWorkflowId(token);
  await keepUnclaimed(inTransaction, { merchantIds, token, store, notificationId });
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'unclaimedPurchase',
    workflowId,
    input: { store, notificationId },
    labels: { merchantId, state: 'pending', requestId: '', summary: store },
  });
}

/** The id by which Roku must be asked: the id of a later transaction than the claimed one. */
export function findLookUpId(inTransaction: Transaction, store: StoreName, originalId: string) {
  return findLookUp(inTransaction, store, originalId);
}
