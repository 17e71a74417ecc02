import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { refuseForbiddenMethod } from '../accounts/followers/service';
import { cardProvider } from '../adapters/cardProviders';
import { merchantTime, type MerchantTime } from '../adapters/clock';
import { countryOf } from '../adapters/geoip';
import { baseUrl, environmentName } from '../adapters/settings';
import { enqueue, type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { getSellableFee, type SellableFee } from '../items/accessFees/service';
import { type Caller } from '../kit/auth';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { together } from '../kit/together';
import { refuseRestricted } from '../restrictions/service';
import { checkVoucher, reserveVoucher, type AppliedVoucher, type VoucherPurchase } from '../vouchers/uses/service';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { firstCharge, percentOff } from './billing/discounts';
import { formatAmount, toMajor } from './billing/money';
import { findPayingCard, missingCard, readCard } from './cards/service';
import { giveUpFirstPayment } from './changes/service';
import { confirmPayment } from './charges/service';
import { discountedPrice, firstAmount } from './lifecycle/steps/service';
import { findLiveSubscription, recordTransition, Subscription } from './model';
import { presentSubscription } from './presenter';
import {
  findShownStoreSubscription,
  hasOpenInStore,
  listBoth,
  showStoreSubscriptions,
  type Listed,
} from './inStores/service';
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
  const shown = row ? present(row) : await findShownStoreSubscription(caller, token);
  if (!shown) throw new AppError('subscription_not_found');
  return shown;
}

/** Newest first: clients take the first row of an item (wire B.7). */
export async function listSubscriptions(caller: Caller, query: z.output<typeof SubscriptionQuery>) {
  const { page, limit, offset } = pageRange(query);
  const isMerchant = caller.role === 'merchant';
  const filter = {
    merchantId: caller.merchantId,
    accountId: isMerchant ? query.account_id : caller.accountId,
    itemId: query.item_id,
    status: query.status,
  };
  const { rows, total } = await listBoth(filter, { limit, offset });
  return { total, page, offset, limit, collection: await showListed(rows) };
}

async function showListed(listed: Listed[]) {
  const tokensOf = (isOfStore: boolean) =>
    listed.filter((row) => row.isOfStore === isOfStore).map(({ token }) => token);
  const [rows, ofStores] = await Promise.all([
    Subscription.findAll({ where: { token: tokensOf(false) }, include: shownWith }),
    showStoreSubscriptions(tokensOf(true)),
  ]);
  const shown = new Map([...rows.map((row) => [row.token, present(row)] as const), ...ofStores]);
  return listed.flatMap(({ token }) => shown.get(token) ?? []);
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
  return charge === 1 ? firstAmount(row) : discountedPrice(row, charge);
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
  const [live, isInStore] = await together(
    findLiveSubscription(caller.accountId, itemId),
    hasOpenInStore(caller.accountId, itemId),
  );
  if (live?.isAsked && (await giveUpFirstPayment(live.token, caller.merchantId, request))) return;
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

/** Who redeems a gift pays nothing: its buyer has paid the setup fee too. */
const setupFeeOf = (fee: SellableFee, voucher?: AppliedVoucher) => (voucher?.isGift ? 0 : (fee.setupFeeMinor ?? 0));

function firstMinorOf(fee: SellableFee, voucher?: AppliedVoucher): number {
  const percent = voucher ? percentOff(voucher.discount, 1) : 0;
  return firstCharge(fee.amountMinor, setupFeeOf(fee, voucher), percent, fee.currency);
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
  const isUnpayable = cardId === null && firstMinorOf(fee, voucher) > 0;
  const trial = await findTrial(caller, offer, inTransaction);
  if (isUnpayable && trial.trialQuantity === undefined) throw missingCard();
  const pausesAtEnd = isUnpayable && fee.trialEndBehaviour === 'pause';
  const row = await Subscription.create(
    {
      token,
      merchantId,
      accountId,
      itemId: fee.itemId,
      accessFeeId: fee.id,
      cardId,
      state: 'incomplete',
      autoRenew: isRenewable(offer) || pausesAtEnd,
      pauseAtPeriodEnd: pausesAtEnd,
      priceMinor: fee.amountMinor,
      setupFeeMinor: setupFeeOf(fee, voucher),
      currency: fee.currency,
      periodQuantity: fee.quantity,
      period: fee.period,
      environment: environmentName,
      referrer: input.referrer ?? '',
      returnUrl: input.return_url ?? null,
      ipAddress: caller.clientAddress,
      countryIso: countryOf(caller.clientAddress) ?? '',
      createdAt: new Date(time.atMs),
      ...(voucher && {
        voucherId: voucher.voucherId,
        voucherCode: voucher.code,
        discountPercent: voucher.discount.percent,
        rebillPercent: voucher.discount.rebillPercent,
        discountPeriod: voucher.discount.period,
        discountDuration: voucher.discount.duration,
      }),
      ...trial,
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
