import { type z } from 'zod';
import { merchantTime } from '../../adapters/clock';
import { enqueueAll, type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { getSellableFee } from '../../items/accessFees/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { clockMovedSignal, subscriptionWorkflowId, type Change } from '../../../workflows/messages';
import { formatAmount, toMajor } from '../billing/money';
import { refuseStoreSubscription } from '../inStores/service';
import { discountedPrice } from '../lifecycle/steps/service';
import * as switches from '../lifecycle/switches/service';
import { liveStates, Subscription, type SubscriptionFacts } from '../model';
import { discountUnder, getPlan } from '../plans/service';
import { findSwitch, listLive } from './model';
import { presentCancel, presentPreview } from './presenter';
import { ask, enqueueChange, promise, requested } from './requests/service';
import { type CancelBody, type PauseBody, type SwitchBody } from './schemas';

/**
 * What people ask of a running subscription. Its workflow decides: a request reaches it as an update, with an id that
 * makes it harmless to ask again after an answer that never came.
 */

/** A cancellation is never lost: while the workflow server is away it is promised, and happens when that is back. */
export async function cancelSubscription(
  caller: Caller,
  token: string,
  input: z.output<typeof CancelBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const change = { kind: 'cancel', at: input.at, reason: input.reason ?? '' } as const;
  const time = await merchantTime(row.merchantId);
  if ((await ask(caller, row, change, time, request)) === undefined) await promise(caller, row, change, time, request);
  return presentCancel(row, new Date(time.atMs));
}

/** By the record's `unsubscribe_url`, which may be opened twice. */
export async function cancelByLink(caller: Caller, token: string, request: RequestFacts, cancelToken = token) {
  if (cancelToken !== token) throw new AppError('subscription_not_found');
  const row = await getLiving(caller, token);
  const { atMs } = await merchantTime(row.merchantId);
  if (!row.autoRenew && row.canceledAt !== null) return presentCancel(row, new Date(atMs));
  return cancelSubscription(caller, token, { at: 'period_end' }, request);
}

export async function resumeSubscription(caller: Caller, token: string, request: RequestFacts) {
  const row = await getLiving(caller, token);
  refuseWithoutCard(row);
  await insist(caller, row, { kind: 'resume' }, request);
  return message('The subscription goes on');
}

export async function pauseSubscription(
  caller: Caller,
  token: string,
  { resumes_at: resumesAt }: z.output<typeof PauseBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  if (resumesAt && row.currentPeriodEnd && resumesAt <= row.currentPeriodEnd)
    throw new AppError('invalid_input', { errors: { resumes_at: 'The resumes_at must be after the paid period.' } });
  await insist(caller, row, { kind: 'pause', ...(resumesAt && { resumesAtMs: resumesAt.getTime() }) }, request);
  return message('The subscription pauses when the paid period ends');
}

export async function retryPayment(caller: Caller, token: string, request: RequestFacts) {
  await insist(caller, await getLiving(caller, token), { kind: 'retry' }, request);
  return message('Payment succeeded');
}

export async function switchPlan(
  caller: Caller,
  token: string,
  input: z.output<typeof SwitchBody>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token);
  const { access_fee_id: accessFeeId, mode } = input;
  await refuseForbiddenSwitch(caller, row, accessFeeId);
  const plan = await getPlan(row.merchantId, accessFeeId);
  refuseWithoutCard({ ...row.get(), ...(await discountUnder(row, plan)) }, plan.amountMinor);
  await insist(caller, row, { kind: 'switch', accessFeeId, ...(mode && { mode }) }, request);
  return message('The plan is changed');
}

/** What a change of plans would cost now: the same lines by which it is charged. */
export async function previewSwitch(caller: Caller, token: string, input: z.output<typeof SwitchBody>) {
  const row = await getLiving(caller, token);
  await refuseForbiddenSwitch(caller, row, input.access_fee_id);
  const { atMs } = await merchantTime(row.merchantId);
  const wanted = { accessFeeId: input.access_fee_id, atMs, ...(input.mode && { mode: input.mode }) };
  const { quote, description, startsAt } = await switches.previewSwitch(row, wanted);
  const { currency } = row;
  return presentPreview(currency, {
    mode: quote.mode,
    from: row.accessFee?.description ?? '',
    to: description,
    credit: toMajor(quote.creditMinor, currency),
    charge: toMajor(quote.chargeMinor, currency),
    total: toMajor(quote.totalMinor, currency),
    formattedTotal: formatAmount(quote.totalMinor, currency),
    balance: toMajor(quote.balanceMinor, currency),
    startsAt,
  });
}

/**
 * Another card for the account's live subscriptions in a currency; what is open is charged at once. Promised in the
 * transaction that saves the card: `sendNow` the answer after it.
 */
export async function offerCard(
  inTransaction: Transaction,
  caller: Caller,
  card: { id: number; currency: string },
  requestId = '',
): Promise<OutboxRow[]> {
  const rows = await Subscription.findAll({
    where: {
      accountId: caller.accountId,
      merchantId: caller.merchantId,
      currency: card.currency,
      state: [...liveStates],
    },
    transaction: inTransaction,
  });
  const time = await merchantTime(caller.merchantId, inTransaction);
  const change = { kind: 'useCard', cardId: card.id } as const;
  const promised: OutboxRow[] = [];
  for (const row of rows) {
    const input = { ...requested(caller, row, change, requestId), ...time, id: `useCard:${card.id}` };
    promised.push(await enqueueChange(inTransaction, row, input));
  }
  return promised;
}

/**
 * Ends a subscription whose access its merchant takes away, at once. Promised in the transaction that takes it: `sendNow`
 * the answer after it. Undefined: it has ended before.
 */
export async function endRevoked(
  inTransaction: Transaction,
  caller: Caller,
  subscriptionId: number,
  requestId: string,
): Promise<OutboxRow | undefined> {
  const where = { id: subscriptionId, merchantId: caller.merchantId, state: [...liveStates] };
  const row = await Subscription.findOne({ where, transaction: inTransaction });
  if (!row) return undefined;
  const time = await merchantTime(caller.merchantId, inTransaction);
  const change = { kind: 'cancel', at: 'now', reason: 'access_revoked' } as const;
  const input = { ...requested(caller, row, change, requestId), ...time, id: `revoked:${row.token}` };
  return enqueueChange(inTransaction, row, input);
}

/** Tells every live subscription of a merchant, in the transaction that moves its clock; the relay sends it. */
export async function tellClockMoved(inTransaction: Transaction, merchantId: number, aheadMs: number): Promise<void> {
  const rows = await listLive(merchantId, inTransaction);
  const messages = rows.map(({ token, itemId, state }) => ({
    messageId: `${token}:clock:${aheadMs}`,
    workflow: 'subscription' as const,
    workflowId: subscriptionWorkflowId(token),
    signal: clockMovedSignal,
    input: { aheadMs },
    labels: { merchantId, itemId, state, requestId: '', summary: '' },
  }));
  await enqueueAll(inTransaction, messages);
}

/** Gives up a first payment that waits for an authentication. False when that was answered in the meantime. */
export async function giveUpFirstPayment(caller: Caller, token: string, request: RequestFacts): Promise<boolean> {
  const time = await merchantTime(caller.merchantId);
  const answer = await ask(caller, { token, accountId: caller.accountId }, { kind: 'giveUp' }, time, request);
  if (answer === undefined) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
  return answer.done;
}

async function getLiving(caller: Caller, token: string): Promise<Subscription> {
  const scope = caller.role === 'merchant' ? {} : { accountId: caller.accountId };
  const where = { token, merchantId: caller.merchantId, ...scope };
  const row = await Subscription.findOne({ where, include: 'accessFee' });
  if (row) return row;
  await refuseStoreSubscription(caller, token);
  throw new AppError('subscription_not_found');
}

/** The change has happened, or the caller learns why it has not. */
async function insist(caller: Caller, row: Subscription, change: Change, request: RequestFacts): Promise<void> {
  const answer = await ask(caller, row, change, await merchantTime(row.merchantId), request);
  if (answer === undefined) throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
  if (answer.done) return;
  if (answer.why === 'payment')
    throw new AppError('payment_failed', { explain: answer.explain, errors: { payment: answer.explain } });
  throw new AppError('subscription_state', { explain: answer.explain });
}

/** What would be charged needs a card to charge. */
function refuseWithoutCard(row: SubscriptionFacts, priceMinor = row.priceMinor): void {
  if (row.cardId !== null || discountedPrice(row, row.discountCycle + 1, priceMinor) === 0) return;
  throw new AppError('subscription_state', { explain: 'A card is needed: set a default card first.' });
}

/**
 * Only to another fee of the same item, of the same currency, where the item allows it; and one that is sold now: to a
 * subscriber as to any buyer. Where a merchant's customer is, nobody knows.
 */
async function refuseForbiddenSwitch(caller: Caller, row: Subscription, accessFeeId: number): Promise<void> {
  const found = await findSwitch(row.id, accessFeeId);
  if (!found) throw new AppError('access_fee_not_found');
  if (caller.role !== 'merchant') await getSellableFee(caller, accessFeeId);
  const rules: [isKept: boolean, rule: string][] = [
    [accessFeeId !== row.accessFeeId, 'be another fee than the present one'],
    [found.isOfItem, 'be of the same item'],
    [found.isSubscription, 'be of the type subscription'],
    [found.isSameCurrency, 'be in the same currency'],
  ];
  const [, broken] = rules.find(([isKept]) => !isKept) ?? [];
  if (broken !== undefined)
    throw new AppError('invalid_input', { errors: { access_fee_id: `The access_fee_id must ${broken}.` } });
  if (!found.isEnabled)
    throw new AppError('subscription_state', { explain: 'The plans of this item cannot be changed.' });
}
