import { type Consumption, type StoreName, type StoreNotification } from '../adapters/appStores/store';
import { merchantNow } from '../adapters/clock';
import { logger } from '../adapters/logger';
import { type Transaction } from '../adapters/postgres/connection';
import { findStore, getSettings } from '../stores/stores';
import {
  keepRequest,
  listWaiting,
  listWaitingOf,
  settleRequest,
  settleUnclaimed,
  type Settlement,
  type WaitingRequest,
} from './consumption.model';

/** After this time Apple decides on the refund without an answer. */
const answerWithinMs = 12 * 3_600_000;

/**
 * Keeps a consumption request, in the transaction that keeps its notification. The request is pending until it is
 * answered or its deadline passes.
 */
export async function keepConsumptionRequest(
  inTransaction: Transaction,
  store: StoreName,
  { id, purchase, consumption, at }: StoreNotification,
): Promise<void> {
  if (!consumption || !purchase) return;
  const { transactionId, environment, refundReason } = consumption;
  const answerBy = new Date(at.getTime() + answerWithinMs);
  const reason = refundReason.slice(0, 100);
  await keepRequest(inTransaction, [store, id, purchase.id, transactionId, environment, reason, answerBy]);
}

/** Answers the consumption requests of a purchase. True if a request is still pending and must be answered later. */
export async function answerRequestsOf(storePurchaseId: number): Promise<boolean> {
  return answerAll(await listWaitingOf(storePurchaseId));
}

/** Answers all pending requests, so that a request whose run lost its message waits at most one hour. */
export async function answerWaitingRequests(): Promise<void> {
  await answerAll(await listWaiting());
  await settleUnclaimed(new Date());
}

async function answerAll(requests: readonly WaitingRequest[]): Promise<boolean> {
  let isLeft = false;
  for (const request of requests) {
    const settlement = await answer(request);
    if (settlement) await settleRequest(request, settlement);
    else isLeft = true;
  }
  return isLeft;
}

/** Undefined if the request stays pending. */
async function answer(request: WaitingRequest): Promise<Settlement | undefined> {
  const { store: name, merchantId, paidAt, answerBy, isErased } = request;
  if (answerBy <= new Date()) return { state: 'not_sent', reason: 'too_late' };
  if (isErased) return { state: 'not_sent', reason: 'account_erased' };
  // Apple accepts an answer only with the customer's consent.
  if (!(await getSettings(merchantId)).sharesConsumption) return { state: 'not_sent', reason: 'no_consent' };
  if (paidAt === null) return undefined;
  const store = await findStore(merchantId, name);
  const consumption = consumptionOf(request, await merchantNow(merchantId));
  const result = await store?.sendConsumption?.(consumption);
  if (!result || result.outcome === 'unavailable') return undefined;
  if (result.outcome === 'sent') return { state: 'sent', reason: '', answer: consumption };
  logger.warn(
    { merchantId, store: name, message: result.message },
    'a store refused the answer to a consumption request',
  );
  return { state: 'refused', reason: result.message, answer: consumption };
}

function consumptionOf(request: WaitingRequest, present: Date): Consumption {
  const { transactionId, environment, isMapped, hadTrial } = request;
  return { transactionId, environment, isDelivered: isMapped, hadTrial, usedShare: usedShareOf(request, present) };
}

/**
 * The used share of the paid period. Access is sold by time, so the share is the time that has passed. An earlier
 * period is fully used.
 */
function usedShareOf({ isLatest, startsAt, endsAt }: WaitingRequest, present: Date): number | undefined {
  if (!isLatest) return 1;
  if (endsAt === null) return undefined;
  const lengthMs = endsAt.getTime() - startsAt.getTime();
  if (lengthMs <= 0) return 1;
  return Math.min(1, Math.max(0, (present.getTime() - startsAt.getTime()) / lengthMs));
}
