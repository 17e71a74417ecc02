import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { refuseForbiddenMethod } from '../accounts/followers/service';
import { cardProvider } from '../adapters/cardProviders';
import { merchantTime, type MerchantTime } from '../adapters/clock';
import { baseUrl, environmentName } from '../adapters/settings';
import { enqueue, type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { getSellableFee, type SellableFee } from '../items/accessFees/service';
import { type Caller } from '../kit/auth';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { refuseRestricted } from '../restrictions/service';
import { checkVoucher, reserveVoucher, type AppliedVoucher, type VoucherPurchase } from '../vouchers/uses/service';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { payable, percentOff } from './billing/discounts';
import { formatAmount, toMajor } from './billing/money';
import { findPayingCard, readCard } from './cards/service';
import { giveUpFirstPayment } from './changes/service';
import { confirmPayment } from './charges/service';
import { discountedPrice } from './lifecycle/steps/service';
import { findLiveSubscription, recordTransition, Subscription } from './model';
import { presentSubscription } from './presenter';
import { takeTrial } from './trials/service';
import { type SubmittedResponse, type SubscribeBody, type SubscriptionQuery } from './schemas';

type SubscribeInput = z.output<typeof SubscribeBody>;

/** The one method so far (decisions 6). */
const cardMethodId = 1;

/**
 * Submits a subscription: what can be refused is refused here; the payment and everything after it belong to the
 * subscription's workflow, whose start is committed with the row.
 */
export async function createSubscription(caller: Caller, input: SubscribeInput, request: RequestFacts) {
  if (input.pi_id !== undefined) return submitted(await confirmSubscription(caller, input.pi_id, request.requestId));
  const fee = await getSubscribableFee(caller, input);
  await refuseForbiddenMethod(caller.merchantId, cardMethodId);
  await refuseSecondSubscription(caller, fee.itemId, request);
  await refuseRestricted(caller, request, fee.itemId);
  const wanted = wantedVoucher(input, fee);
  const offered = wanted && (await checkVoucher(caller, wanted));
  const pay = await readPayment(caller, input, fee, offered);
  const { row, queued } = await refusingRace(() =>
    transaction(async (inTransaction) => {
      const cardId = await pay(inTransaction);
      const time = await merchantTime(caller.merchantId, inTransaction);
      const token = newToken();
      const { merchantId, accountId } = caller;
      const reservation = wanted && { ...wanted, merchantId, accountId, subject: token };
      const voucher = reservation && (await reserveVoucher(inTransaction, reservation));
      const row = await insertSubscription(caller, input, { fee, cardId, time, token, voucher }, inTransaction);
      return { row, queued: await promiseWorkflow(row, time, request.requestId, inTransaction) };
    }),
  );
  await sendNow(queued);
  return submitted(row);
}

export async function getSubscription(caller: Caller, token: string) {
  const scope = caller.role === 'merchant' ? {} : { accountId: caller.accountId };
  const row = await Subscription.findOne({
    where: { token, merchantId: caller.merchantId, ...scope },
    include: shownWith,
  });
  if (!row) throw new AppError('subscription_not_found');
  return present(row);
}

/** Newest first: clients take the first row of an item (wire B.7). */
export async function listSubscriptions(caller: Caller, query: z.output<typeof SubscriptionQuery>) {
  const { page, limit, offset } = pageRange(query);
  const isMerchant = caller.role === 'merchant';
  const accountId = isMerchant ? query.account_id : caller.accountId;
  const { rows, count } = await Subscription.findAndCountAll({
    where: {
      merchantId: caller.merchantId,
      ...(accountId !== undefined && { accountId }),
      ...(query.item_id !== undefined && { itemId: query.item_id }),
      ...(query.status !== undefined && { state: query.status }),
    },
    include: shownWith,
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total: count, page, offset, limit, collection: rows.map(present) };
}

const shownWith = ['item', 'accessFee', 'card'];

function present(row: Subscription) {
  const { priceMinor, currency } = row;
  return presentSubscription(row, {
    major: toMajor(priceMinor, currency),
    formatted: formatAmount(priceMinor, currency),
    charged: toMajor(chargeOfRow(row), currency),
    unsubscribeUrl: `${baseUrl}/subscriptions/cancel/${row.token}`,
  });
}

/** What its latest charge took, or its first will. */
function chargeOfRow(row: Subscription): number {
  const charge = Math.max(1, row.discountCycle);
  return discountedPrice(row, charge) + (charge === 1 ? row.setupFeeMinor : 0);
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
  const sellable = await getSellableFee(caller, feeId);
  if (sellable.accessType === 'subscription') return sellable;
  throw new AppError('invalid_input', { errors: { access_fee: 'The access_fee must be of the type subscription.' } });
}

/** One that waits for an authentication makes way: whoever begins anew has given that up. */
async function refuseSecondSubscription(caller: Caller, itemId: number, request: RequestFacts): Promise<void> {
  const live = await findLiveSubscription(caller.accountId, itemId);
  if (live?.isAsked && (await giveUpFirstPayment(live.token, caller.merchantId, request))) return;
  if (live) throw new AppError('already_has_access', { explain: `The subscription ${live.token} is ${live.state}.` });
}

/** What costs nothing now needs no card. */
async function readPayment(caller: Caller, input: SubscribeInput, fee: SellableFee, voucher?: AppliedVoucher) {
  const percent = voucher ? percentOff(voucher.discount, 1) : 0;
  const firstMinor = payable(fee.amountMinor, percent, fee.currency) + (fee.setupFeeMinor ?? 0);
  if (firstMinor > 0) return readCard(caller, input, fee.currency);
  return (await findPayingCard(caller, input, fee.currency)) ?? (() => Promise.resolve(null));
}

/** Without a card only what goes on costing nothing can be renewed. */
function isRenewable({ fee, cardId, voucher }: Offer): boolean {
  const { period, percent, rebillPercent } = voucher?.discount ?? {};
  const isGiven = period === 'forever' && percent === 100 && (rebillPercent ?? 100) === 100;
  return cardId !== null || fee.amountMinor === 0 || isGiven;
}

interface Offer {
  fee: SellableFee;
  cardId: number | null;
  time: MerchantTime;
  token: string;
  voucher: AppliedVoucher | undefined;
}

function wantedVoucher({ voucher_code: code }: SubscribeInput, fee: SellableFee): VoucherPurchase | undefined {
  return code === undefined ? undefined : { itemId: fee.itemId, accessFeeId: fee.id, code };
}

function newToken(): string {
  return `S-${randomBytes(16).toString('base64url').replaceAll(/[-_]/g, 'x')}-${cardProvider.suffix}`;
}

async function insertSubscription(
  caller: Caller,
  input: SubscribeInput,
  offer: Offer,
  inTransaction: Transaction,
): Promise<Subscription> {
  const { merchantId, accountId } = caller;
  const { fee, cardId, time, token, voucher } = offer;
  const row = await Subscription.create(
    {
      token,
      merchantId,
      accountId,
      itemId: fee.itemId,
      accessFeeId: fee.id,
      cardId,
      state: 'incomplete',
      autoRenew: isRenewable(offer),
      priceMinor: fee.amountMinor,
      setupFeeMinor: fee.setupFeeMinor ?? 0,
      currency: fee.currency,
      periodQuantity: fee.quantity,
      period: fee.period,
      environment: environmentName,
      referrer: input.referrer ?? '',
      returnUrl: input.return_url ?? null,
      ipAddress: caller.clientAddress,
      createdAt: new Date(time.atMs),
      ...(voucher && {
        voucherId: voucher.voucherId,
        voucherCode: voucher.code,
        discountPercent: voucher.discount.percent,
        rebillPercent: voucher.discount.rebillPercent,
        discountPeriod: voucher.discount.period,
        discountDuration: voucher.discount.duration,
      }),
      ...(await findTrial(caller, offer, inTransaction)),
    },
    { transaction: inTransaction },
  );
  await recordTransition(inTransaction, {
    merchantId,
    subscriptionId: row.id,
    sequence: 1,
    fromState: null,
    toState: 'incomplete',
    reason: 'submitted',
    actor: `account:${accountId}`,
    workflowRunId: null,
    at: new Date(time.atMs),
  });
  return row;
}

/** The fee's free time, once for everybody; without it the first period is paid for at once (subscriptions 6). */
async function findTrial(caller: Caller, { fee, cardId, token }: Offer, inTransaction: Transaction) {
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
  const amountMinor = discountedPrice(row, 1) + row.setupFeeMinor;
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
