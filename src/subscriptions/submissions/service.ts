import { type z } from 'zod';
import { refuseForbiddenMethod } from '../../accounts/followers/service';
import { cardProvider } from '../../adapters/cardProviders';
import { merchantTime, type MerchantTime } from '../../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../../adapters/outbox';
import { transaction, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { type SellableFee } from '../../items/accessFees/service';
import { type Caller } from '../../kit/auth';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { publicToken } from '../../kit/publicTokens';
import { together } from '../../kit/together';
import { refuseRestricted } from '../../restrictions/service';
import { getOfferedFee } from '../../vouchers/offers/service';
import { checkVoucher, reserveVoucher, type AppliedVoucher, type VoucherPurchase } from '../../vouchers/uses/service';
import { subscriptionWorkflowId } from '../../../workflows/messages';
import { formatAmount } from '../billing/money';
import { cardMethodId, findPayingCard, missingCard, readCard } from '../cards/service';
import { giveUpFirstPayment } from '../changes/service';
import { confirmPayment } from '../charges/service';
import { hasOpenInStore } from '../inStores/service';
import { firstAmount } from '../lifecycle/steps/service';
import { findLiveSubscription, recordTransition, Subscription } from '../model';
import { originOf, type Origin } from '../origins/service';
import { firstMinorOf, keptOf, setupFeeOf } from '../prices/service';
import { refuseDearer } from '../quotes/service';
import { type SubmittedResponse, type SubscribeBody } from '../schemas';
import { takeTrial } from '../trials/service';

type SubscribeInput = z.output<typeof SubscribeBody>;

/**
 * Submits a subscription: what can be refused is refused here; the payment and everything after it belong to the
 * subscription's workflow, whose start is committed with the row.
 */
export async function createSubscription(caller: Caller, input: SubscribeInput, request: RequestFacts) {
  if (input.pi_id !== undefined) return submitted(await confirmSubscription(caller, input.pi_id, request.requestId));
  const [fee] = await together(
    getSubscribableFee(caller, input),
    refuseForbiddenMethod(caller.merchantId, cardMethodId),
  );
  await refuseSecondSubscription(caller, fee.itemId, request);
  await refuseRestricted(caller, request, fee.itemId);
  const wanted = wantedVoucher(input, fee);
  const offered = wanted && (await checkVoucher(caller, wanted));
  const pay = await readPayment(caller, input, fee, offered);
  const { row, queued } = await refusingRace(() =>
    transaction(async (inTransaction) => {
      const cardId = await pay(inTransaction);
      const time = await merchantTime(caller.merchantId, inTransaction);
      const token = publicToken('S', cardProvider.suffix);
      const { merchantId, accountId } = caller;
      const reservation = wanted && { ...wanted, merchantId, accountId, subject: token };
      const voucher = reservation && (await reserveVoucher(inTransaction, reservation));
      const origin = originOf(caller, input, request);
      const row = await insertSubscription(caller, input, { fee, cardId, time, token, voucher, origin }, inTransaction);
      return { row, queued: await promiseWorkflow(row, time, request.requestId, inTransaction) };
    }),
  );
  await sendNow(queued);
  return submitted(row);
}

async function confirmSubscription(caller: Caller, reference: string, requestId: string) {
  const purchase = await confirmPayment(caller, reference, requestId);
  if (purchase.kind === 'subscription') return purchase;
  throw new AppError('payment_not_found');
}

function submitted(row: Pick<Subscription, 'token' | 'state'>): Answer<z.output<typeof SubmittedResponse>> {
  const text = 'Submitted for payment';
  const body = { code: 202 as const, message: text, explain: text, subscription_id: row.token, status: row.state };
  return new Answer(body, { headers: { Location: `/subscriptions/${row.token}` } });
}

async function getSubscribableFee(caller: Caller, input: SubscribeInput): Promise<SellableFee> {
  const feeId = input.access_fee ?? input.access_fee_id;
  if (feeId === undefined)
    throw new AppError('missing_parameter', { errors: { access_fee: 'The access_fee must not be empty.' } });
  const sellable = await getOfferedFee(caller, feeId, input.voucher_code);
  if (sellable.accessType === 'subscription') return sellable;
  throw new AppError('invalid_input', { errors: { access_fee: 'The access_fee must be of the type subscription.' } });
}

/** One that waits for an authentication makes way: whoever begins anew has given that up. */
async function refuseSecondSubscription(caller: Caller, itemId: number, request: RequestFacts): Promise<void> {
  const [live, isInStore] = await together(
    findLiveSubscription(caller.accountId, itemId),
    hasOpenInStore(caller.accountId, itemId),
  );
  if (live?.isAsked && (await giveUpFirstPayment(caller, live.token, request))) return;
  if (live) throw new AppError('already_has_access', { explain: `The subscription ${live.token} is ${live.state}.` });
  if (isInStore)
    throw new AppError('already_has_access', { explain: 'A subscription that was bought in an app store still runs.' });
}

/** What costs nothing now needs no card; nor does a trial whose fee says what becomes of it without one. */
async function readPayment(caller: Caller, input: SubscribeInput, fee: SellableFee, voucher?: AppliedVoucher) {
  const firstMinor = firstMinorOf(fee, voucher);
  if (firstMinor > 0 && fee.trialEndBehaviour === null) return readCard(caller, input, fee.currency);
  return (await findPayingCard(caller, input, fee.currency)) ?? (() => Promise.resolve(null));
}

/** What is sold, and how it is paid for. */
interface Offer {
  fee: SellableFee;
  cardId: number | null;
  time: MerchantTime;
  token: string;
  voucher: AppliedVoucher | undefined;
  origin: Origin;
}

/** Without a card only what goes on costing nothing can be renewed. */
function isRenewable({ fee, cardId, voucher }: Offer): boolean {
  const { period, percent, rebillPercent } = voucher?.discount ?? {};
  const isGiven = period === 'forever' && percent === 100 && (rebillPercent ?? 100) === 100;
  return cardId !== null || fee.amountMinor === 0 || isGiven;
}

function wantedVoucher({ voucher_code: code }: SubscribeInput, fee: SellableFee): VoucherPurchase | undefined {
  return code === undefined ? undefined : { itemId: fee.itemId, accessFeeId: fee.id, code };
}

async function insertSubscription(
  caller: Caller,
  input: SubscribeInput,
  offer: Offer,
  inTransaction: Transaction,
): Promise<Subscription> {
  const { fee, cardId, time, token, voucher, origin } = offer;
  const firstMinor = firstMinorOf(fee, voucher);
  const isUnpayable = cardId === null && firstMinor > 0;
  const trial = await findTrial(caller, offer, inTransaction);
  if (trial.trialQuantity === undefined) {
    refuseDearer(firstMinor, fee.currency, input.expected_amount);
    if (isUnpayable) throw missingCard();
  }
  const pausesAtEnd = isUnpayable && fee.trialEndBehaviour === 'pause';
  const row = await Subscription.create(
    {
      token,
      merchantId: caller.merchantId,
      accountId: caller.accountId,
      cardId,
      state: 'incomplete',
      autoRenew: isRenewable(offer) || pausesAtEnd,
      pauseAtPeriodEnd: pausesAtEnd,
      ...termsOf(offer),
      ...trial,
      ...origin,
      createdAt: new Date(time.atMs),
    },
    { transaction: inTransaction },
  );
  await recordSubmission(inTransaction, row, new Date(time.atMs));
  return row;
}

/** The fee and the voucher as they are now. */
function termsOf({ fee, voucher }: Offer) {
  return {
    itemId: fee.itemId,
    accessFeeId: fee.id,
    priceMinor: fee.amountMinor,
    setupFeeMinor: setupFeeOf(fee, voucher),
    currency: fee.currency,
    periodQuantity: fee.quantity,
    period: fee.period,
    ...keptOf(voucher),
  };
}

function recordSubmission(inTransaction: Transaction, row: Subscription, at: Date): Promise<void> {
  const { id: subscriptionId, merchantId, accountId } = row;
  return recordTransition(inTransaction, {
    ...{ merchantId, subscriptionId, sequence: 1, fromState: null, toState: 'incomplete' },
    ...{ reason: 'submitted', actor: `account:${accountId}`, workflowRunId: null, at },
  });
}

/** The fee's free time, once for everybody; without it the first period is paid for at once (subscriptions 6). */
async function findTrial(
  caller: Caller,
  { fee, cardId, token }: Offer,
  inTransaction: Transaction,
): Promise<Partial<Pick<Subscription, 'trialQuantity' | 'trialPeriod'>>> {
  const { merchantId, accountId } = caller;
  const { trialQuantity, trialPeriod } = fee;
  if (trialQuantity === null || trialPeriod === null) return {};
  const identity = { merchantId, accountId, itemId: fee.itemId, cardId, subject: token };
  return (await takeTrial(inTransaction, identity)) ? { trialQuantity, trialPeriod } : {};
}

function promiseWorkflow(
  row: Subscription,
  { aheadMs }: MerchantTime,
  requestId: string,
  inTransaction: Transaction,
): Promise<OutboxRow> {
  const amountMinor = firstAmount(row);
  const workflowId = subscriptionWorkflowId(row.token);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'subscription',
    workflowId,
    input: { subscriptionId: row.id, aheadMs, amountMinor, ...(row.trialQuantity && { hasTrial: true }) },
    labels: {
      merchantId: row.merchantId,
      itemId: row.itemId,
      state: row.state,
      requestId,
      summary: `${formatAmount(row.priceMinor, row.currency)} every ${row.periodQuantity} ${row.period}, item ${row.itemId}`,
    },
  });
}

/** Two requests may both have seen no live subscription: the constraint lets one in. */
async function refusingRace<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error) === 'subscriptions_live') throw new AppError('already_has_access');
    throw error;
  }
}
