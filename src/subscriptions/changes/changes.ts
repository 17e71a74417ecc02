import { type z } from 'zod';
import { merchantTime } from '../../adapters/clock';
import { enqueueAll, type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { endOfTime } from '../../billing/periods';
import { getExtendedEnd } from '../../entitlements/extensions';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import {
  clockMovedSignal,
  paymentWorkflowId,
  subscriptionWorkflowId,
  type Change,
  type DecidedAnswer,
} from '../../../workflows/messages';
import { refuseBlockedCard } from '../charges/cardLimits';
import { type CardHolder } from '../cards';
import { cancelTokenOf, readUnsubscribeToken } from '../cancelTokens';
import { refuseStoreSubscription } from '../inStores';
import { findPendingPlan } from '../plans';
import { changedPrice } from '../quotes';
import { refuseUnconfirmedChange } from '../savedCards';
import { liveStates, Subscription, type SubscriptionFacts } from '../subscriptions.model';
import { listLive } from './changes.model';
import { presentCancel, presentPending } from './changes.presenter';
import { changeBy, requestChange, storeChange, storeRequest, unlessKnown } from './requests';
import { type CancelBody, type ExtendBody, type PauseBody } from './changes.schemas';
import { discountedPrice, nextCharge } from '../lifecycle/prices';

export { hasUnfinishedRuns } from './changes.model';

/**
 * Requests for changes of a running subscription. Its workflow decides. A request is an update with its own id, so it
 * can be repeated after a lost answer.
 */

/** A cancellation is never lost: if the workflow server is down, it is stored and takes effect later. */
export async function cancelSubscription(
  caller: Caller,
  token: string,
  input: z.output<typeof CancelBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const change = { kind: 'cancel', at: input.at, reason: input.reason ?? '' } as const;
  const time = await merchantTime(row.merchantId);
  const answer = await requestChange(caller, row, change, time, request);
  if (answer === undefined) await storeChange(caller, row, change, time, request);
  else refuseUndone(row.currency, answer);
  return presentCancel(row, new Date(time.atMs));
}

/** Cancels by the record's `unsubscribe_url`. */
export function cancelByUnsubscribeUrl(caller: Caller, text: string, request: RequestFacts) {
  const { id, cancelToken } = readUnsubscribeToken(text);
  return cancelByLink(caller, id, cancelToken, request);
}

/** Cancels by the record's `cancel_token`. A second visit of the link changes nothing. */
export async function cancelByLink(caller: Caller, token: string, cancelToken: string, request: RequestFacts) {
  if (cancelToken !== cancelTokenOf(token)) throw new AppError('subscription_not_found');
  const row = await getLiving(caller, token);
  const { atMs } = await merchantTime(row.merchantId);
  if (!row.autoRenew && row.canceledAt !== null) return presentCancel(row, new Date(atMs));
  return cancelSubscription(caller, token, { at: 'period_end' }, request);
}

export async function resumeSubscription(caller: Caller, token: string, request: RequestFacts) {
  const row = await getLiving(caller, token);
  const change = { kind: 'resume' } as const;
  await unlessKnown(row, change, request, async () => {
    const terms = { ...row.get(), ...(await findPendingPlan(row))?.changes };
    refuseWithoutCard(terms);
    // Only the end of a pause charges.
    if (row.state === 'paused' && nextCharge(terms) > 0) await refuseUnconfirmedChange(caller, row, request);
  });
  return changeNow(caller, row, { change, request, done: 'The subscription continues' });
}

export async function pauseSubscription(
  caller: Caller,
  token: string,
  { resumes_at: resumesAt }: z.output<typeof PauseBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const change = { kind: 'pause', ...(resumesAt && { resumesAtMs: resumesAt.getTime() }) } as const;
  await unlessKnown(row, change, request, () => {
    if (resumesAt && row.currentPeriodEnd && resumesAt <= row.currentPeriodEnd)
      throw new AppError('invalid_input', { errors: { resumes_at: 'The resumes_at must be after the paid period.' } });
    if (resumesAt && resumesAt > endOfTime) throw new AppError('invalid_input', { errors: { resumes_at: tooLate } });
  });
  return changeNow(caller, row, { change, request, done: 'The subscription pauses when the paid period ends' });
}

const tooLate = `The resumes_at must be ${endOfTime.toISOString()} or earlier.`;

/** The next charge moves with the end of the period. */
export async function extendSubscription(
  caller: Caller,
  token: string,
  { days }: z.output<typeof ExtendBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const change = { kind: 'extend', days } as const;
  await unlessKnown(row, change, request, () => {
    if (row.currentPeriodEnd) getExtendedEnd(row.currentPeriodEnd, days);
  });
  return changeNow(caller, row, { change, request, done: 'The subscription is extended' });
}

export async function retryPayment(caller: Caller, token: string, request: RequestFacts) {
  const row = await getLiving(caller, token);
  const { id: subscriptionId, merchantId, cardId, cycle } = row;
  const change = { kind: 'retry' } as const;
  if (row.state === 'past_due' || row.state === 'on_hold')
    await unlessKnown(row, change, request, () => refuseBlockedCard({ merchantId, cardId, subscriptionId, cycle }));
  return changeNow(caller, row, { change, request, done: 'Payment succeeded' });
}

/** Locks the live subscriptions of an account in a currency. A transaction that also writes a card calls it first. */
export function lockLiveIn(
  currency: string,
  { accountId, merchantId }: CardHolder,
  inTransaction: Transaction,
): Promise<Subscription[]> {
  return Subscription.findAll({
    where: { accountId, merchantId, currency, state: [...liveStates] },
    order: [['id', 'ASC']],
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
}

/**
 * Sets another card, mandate or agreement for subscriptions of its holder. An overdue amount is charged immediately. The
 * messages are stored in the transaction that saves the card, and the caller passes them to `sendNow` after the commit.
 */
export async function offerTo(
  inTransaction: Transaction,
  rows: readonly Subscription[],
  { holder, cardId, requestId }: { holder: CardHolder; cardId: number; requestId: string },
): Promise<OutboxRow[]> {
  const time = await merchantTime(holder.merchantId, inTransaction);
  const change = { kind: 'useCard', cardId } as const;
  const promised: OutboxRow[] = [];
  for (const row of rows) {
    const input = { ...changeBy(holder, row, change, requestId), ...time, id: `useCard:${cardId}` };
    promised.push(await storeRequest(inTransaction, row, input));
  }
  return promised;
}

/** A subscription that has not ended. It is locked before its access, as in each of its steps. */
export function lockLive(
  inTransaction: Transaction,
  merchantId: number,
  subscriptionId: number,
): Promise<Subscription | null> {
  const where = { id: subscriptionId, merchantId, state: [...liveStates] };
  return Subscription.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
}

/**
 * Ends a subscription whose access the merchant revokes. The change is stored in the transaction that revokes the access,
 * and the caller passes its message to `sendNow` after the commit.
 */
export async function endRevoked(
  inTransaction: Transaction,
  caller: Caller,
  row: Subscription,
  requestId: string,
): Promise<OutboxRow> {
  const time = await merchantTime(caller.merchantId, inTransaction);
  const change = { kind: 'cancel', at: 'now', reason: '', cause: 'access_revoked' } as const;
  const input = { ...changeBy(caller, row, change, requestId), ...time, id: `revoked:${row.token}` };
  return storeRequest(inTransaction, row, input);
}

/**
 * Stores a message for every live subscription and every open payment of a merchant, in the transaction that moves the
 * merchant's clock.
 */
export async function signalClockMoved(inTransaction: Transaction, merchantId: number, aheadMs: number): Promise<void> {
  const rows = await listLive(merchantId, inTransaction);
  const messages = rows.map(({ workflow, token, itemId, state }) => ({
    messageId: `${token}:clock:${aheadMs}`,
    workflow,
    workflowId: workflow === 'payment' ? paymentWorkflowId(token) : subscriptionWorkflowId(token),
    signal: clockMovedSignal,
    input: { aheadMs },
    labels: { merchantId, itemId, state, requestId: '', summary: '' },
  }));
  await enqueueAll(inTransaction, messages);
}

/** Gives up a first payment that waits for an authentication, unless it was paid or declined in the meantime. */
export async function giveUpFirstPayment(caller: Caller, token: string, request: RequestFacts): Promise<void> {
  const time = await merchantTime(caller.merchantId);
  const row = { token, accountId: caller.accountId };
  const answer = await requestChange(caller, row, { kind: 'giveUp' }, time, request).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'subscription_state') return 'decided' as const;
    throw error;
  });
  if (answer === undefined) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
}

/** The caller's subscription, or that of a merchant's customer. Throws `subscription_not_found`. */
export async function getLiving(
  caller: Caller,
  token: string,
  { isOwn = caller.role !== 'merchant' } = {},
): Promise<Subscription> {
  const scope = isOwn ? { accountId: caller.accountId } : {};
  const where = { token, merchantId: caller.merchantId, ...scope };
  const row = await Subscription.findOne({ where, include: 'accessFee' });
  if (row) return row;
  await refuseStoreSubscription(caller, token);
  throw new AppError('subscription_not_found');
}

interface RequestedChange {
  change: Change;
  request: RequestFacts;
  /** The message of the response after the change. */
  done: string;
}

/**
 * Returns after the change, or throws the reason why it failed. A change without an answer in time is stored and
 * reported as pending. It may be in progress already, and happens once.
 */
export async function changeNow(caller: Caller, row: Subscription, { change, request, done }: RequestedChange) {
  const time = await merchantTime(row.merchantId);
  const answer = await requestChange(caller, row, change, time, request);
  if (answer === undefined) {
    await storeChange(caller, row, change, time, request);
    return presentPending(row);
  }
  refuseUndone(row.currency, answer);
  return message(answer.isPending ? 'The direct debit is being processed' : done);
}

/** Throws the reason why the run has not made a change: `payment_failed`, `price_changed` or `subscription_state`. */
function refuseUndone(
  currency: string,
  answer: DecidedAnswer,
): asserts answer is Extract<DecidedAnswer, { done: true }> {
  if (answer.done) return;
  const { why, explain } = answer;
  if (why === 'price') throw changedPrice(answer.totalMinor, currency);
  if (why === 'payment') throw new AppError('payment_failed', { explain, errors: { payment: explain } });
  throw new AppError('subscription_state', { explain });
}

/** A subscription with a next charge above 0 needs a card. */
export function refuseWithoutCard(row: SubscriptionFacts, priceMinor = row.priceMinor): void {
  if (row.cardId !== null || discountedPrice(row, row.discountCycle + 1, priceMinor) === 0) return;
  throw new AppError('subscription_state', { explain: 'A card is needed: set a default card first.' });
}
