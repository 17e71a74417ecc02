import { type z } from 'zod';
import { merchantTime, type MerchantTime } from '../adapters/clock';
import { enqueue, type OutboxRow, sendNow } from '../adapters/outbox';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { type SellableFee } from '../items/accessFees/accessFees';
import { type Caller } from '../kit/auth';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findRedirectName, findWalletName, isOfForm, paymentMethods } from '../kit/paymentMethods';
import { publicToken } from '../kit/publicTokens';
import { allOrFirstError } from '../kit/concurrency';
import { refuseRestricted } from '../restrictions/restrictions';
import { getOfferedFee } from '../vouchers/offers';
import { checkVoucher, reserveVoucher, type AppliedVoucher, type VoucherPurchase } from '../vouchers/uses';
import { decideAddedTax, type Taxed, withProvidedTax } from '../tax/addedTaxes';
import { subscriptionWorkflowId } from '../../workflows/messages';
import { quoteFirst } from './balances/balances';
import { payable, reductionOf } from '../billing/discounts';
import { findPayingCard, namedMethod, readCard, refuseWithoutCard } from './cards';
import { giveUpFirstPayment } from './changes/changes';
import { confirmPayment } from './charges/answers';
import { hasOpenInStore } from './inStores';
import { readMandate } from './methods/mandates';
import { beginsWithPayment, refuseMisfit, refuseNamed } from './methods/methods';
import { prepareRedirect } from './methods/redirects';
import { findLiveSubscription, Subscription } from './subscriptions.model';
import { originOf, type Origin } from './origins';
import { getProvider } from './provider/providers';
import { keptOf, setupFeeOf } from '../vouchers/prices';
import { changedPrice, firstDueOf, refuseChangedPrice, refuseTooLong } from './quotes';
import { summaryOf } from './runs';
import { askForCard, payerIsAwaitedMs, setUpIfFree } from './setups/freeBeginnings';
import { type SubmittedResponse, type SubscribeBody } from './subscriptions.schemas';
import { recordTransition } from './transitions.model';
import { takeTrial } from './trials';

type SubscribeInput = z.output<typeof SubscribeBody>;

/**
 * Submits a subscription. Every refusal that needs no charge happens here. The subscription's workflow charges. Its
 * start is committed with the row.
 */
export async function createSubscription(caller: Caller, input: SubscribeInput, request: RequestFacts) {
  const method = input.payment_method ?? 'card';
  const named = refuseNamed(caller, namedMethod(input));
  const [, offeredFee] = await allOrFirstError(named, getSubscribableFee(caller, input));
  refuseMisfit(method, offeredFee);
  await refuseSecondSubscription(caller, offeredFee.itemId, request);
  await refuseRestricted(caller, request, offeredFee.itemId);
  const fee = await withProvidedTax(caller, offeredFee);
  const wanted = wantedVoucher(input, fee);
  const offered = wanted && (await checkVoucher(caller, wanted));
  const card = await readPayment(caller, { ...input, request }, fee, offered);
  const isCard = card && (isOfForm(method) || findWalletName(method) !== undefined);
  const answer = isCard && (await setUpIfFree(caller, { fee, card, offered, returnUrl: input.return_url }));
  const { row, queued } = await refusingRace(() =>
    transaction(async (inTransaction) => {
      const verified = answer && 'cardToken' in answer ? answer.cardToken : undefined;
      const waits = answer && 'waits' in answer ? answer.waits : undefined;
      const cardId = (await card?.save(inTransaction, verified)) ?? null;
      const time = await merchantTime(caller.merchantId, inTransaction);
      const { suffix } = await getProvider(caller.merchantId, inTransaction);
      const token = publicToken('S', suffix);
      const { merchantId, accountId } = caller;
      const reservation = wanted && { ...wanted, merchantId, accountId, subject: token };
      const voucher = reservation && (await reserveVoucher(inTransaction, reservation));
      const origin = originOf(caller, input, request);
      const offer = { fee, cardId, time, token, voucher, origin, isWaiting: waits !== undefined };
      const row = await insertSubscription(caller, input, offer, inTransaction);
      if (waits && cardId !== null) await askForCard(inTransaction, { ...row.get(), cardId }, waits);
      return { row, queued: await enqueueWorkflow(row, request.requestId, inTransaction) };
    }),
  );
  await sendNow(queued);
  return submitted(row);
}

/** Continues a subscription after an authentication. */
export async function continueSubscription(caller: Caller, reference: string, requestId: string) {
  const purchase = await confirmPayment(caller, reference, requestId);
  if (purchase.kind !== 'subscription') throw new AppError('payment_not_found');
  return submitted(purchase);
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
  if (sellable.accessType === 'subscription') {
    refuseTooLong(sellable);
    return sellable;
  }
  throw new AppError('invalid_input', { errors: { access_fee: 'The access_fee must be of the type subscription.' } });
}

/** A new submission replaces a subscription that waits for an authentication. */
async function refuseSecondSubscription(caller: Caller, itemId: number, request: RequestFacts): Promise<void> {
  const [found, isInStore] = await allOrFirstError(
    findLiveSubscription(caller.accountId, itemId),
    hasOpenInStore(caller.accountId, itemId),
  );
  if (found?.isWaiting) await giveUpFirstPayment(caller, found.token, request);
  // A payment that was completed in the meantime is not given up.
  const live = found?.isWaiting ? await findLiveSubscription(caller.accountId, itemId) : found;
  if (live) throw new AppError('already_has_access', { explain: `The subscription ${live.token} is ${live.state}.` });
  if (isInStore)
    throw new AppError('already_has_access', { explain: 'A subscription that was bought in an app store still runs.' });
}

/**
 * The card of the purchase. A free first period needs none. A trial needs none if its fee defines what happens without
 * a card.
 */
async function readPayment(
  caller: Caller,
  { request, ...input }: SubscribeInput & { request: RequestFacts },
  fee: Taxed<SellableFee>,
  voucher?: AppliedVoucher,
) {
  if (input.payment_method === 'direct_debit') return readMandate(caller, request);
  refuseWithoutToken(input);
  const { accountId } = caller;
  const dueMinor = firstDueOf(fee, voucher, await decideAddedTax(caller, fee));
  const firstMinor = await quoteFirst({ accountId, currency: fee.currency }, dueMinor);
  const redirect = findRedirectName(input.payment_method ?? 'card');
  if (redirect) {
    if (firstMinor === 0) throw beginsWithPayment(redirect);
    return prepareRedirect(caller, redirect);
  }
  if (firstMinor > 0 && fee.trialEndBehaviour === null) return readCard(caller, input, fee.currency, request);
  return findPayingCard(caller, input, fee.currency, request);
}

/** The page that opens a wallet pays once only. The provider's form saves the card of the wallet for the renewals. */
function refuseWithoutToken({ payment_method: method = 'card', payment_token: token }: SubscribeInput): void {
  if (token !== undefined || findWalletName(method) === undefined) return;
  const text = `A subscription by ${paymentMethods[method].title} needs the payment_token of the payment form.`;
  throw new AppError('missing_parameter', { errors: { payment_token: text } });
}

/** The fee, its payment, and the terms of the purchase. */
interface Offer {
  fee: Taxed<SellableFee>;
  cardId: number | null;
  time: MerchantTime;
  token: string;
  voucher: AppliedVoucher | undefined;
  origin: Origin;
  /** The payer must authenticate the card first. */
  isWaiting: boolean;
}

/** Whether the subscription can renew. Without a card, only a subscription that stays free can. */
function isRenewable({ fee, cardId, voucher }: Offer): boolean {
  const { amountMinor, currency } = fee;
  const isFree = ({ discount }: AppliedVoucher, charge: number) =>
    payable(amountMinor, reductionOf(discount, charge), currency) === 0;
  const isGiven = voucher?.discount.period === 'forever' && isFree(voucher, 1) && isFree(voucher, 2);
  return cardId !== null || amountMinor === 0 || isGiven;
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
  const { fee, cardId, time, token, voucher, origin, isWaiting } = offer;
  const { accountId } = caller;
  const addedTax = await decideAddedTax(caller, fee, inTransaction);
  const dueMinor = firstDueOf(fee, voucher, addedTax);
  const firstMinor = await quoteFirst({ accountId, currency: fee.currency }, dueMinor, inTransaction);
  const isUnpayable = cardId === null && firstMinor > 0;
  const trial = await findTrial(caller, offer, inTransaction);
  const redirect = findRedirectName(input.payment_method ?? 'card');
  if (redirect && (trial.trialQuantity !== undefined || firstMinor === 0)) throw beginsWithPayment(redirect);
  if (trial.trialQuantity === undefined) {
    refuseChangedPrice(firstMinor, fee.currency, input);
    // Another purchase has used the trial or the voucher in the meantime, so the card must pay now.
    if (isWaiting && firstMinor > 0) throw changedPrice(firstMinor, fee.currency);
    if (isUnpayable) await refuseWithoutCard(caller, fee.currency);
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
      addedTax,
      ...trial,
      ...origin,
      createdAt: new Date(time.atMs),
      nextDueAt: new Date(time.atMs + (isWaiting ? payerIsAwaitedMs : 0)),
    },
    { transaction: inTransaction },
  );
  await recordSubmission(inTransaction, row, new Date(time.atMs));
  return row;
}

/** The current terms of the fee and the voucher. */
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
    merchantId,
    subscriptionId,
    sequence: 1,
    fromState: null,
    toState: 'incomplete',
    reason: 'submitted',
    actor: `account:${accountId}`,
    workflowRunId: null,
    at,
  });
}

/** The fee's trial, which a customer can use once. Without a trial, the first period is charged immediately. */
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

function enqueueWorkflow(row: Subscription, requestId: string, inTransaction: Transaction): Promise<OutboxRow> {
  const workflowId = subscriptionWorkflowId(row.token);
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'subscription',
    workflowId,
    input: { subscriptionId: row.id },
    labels: {
      merchantId: row.merchantId,
      itemId: row.itemId,
      state: row.state,
      requestId,
      summary: summaryOf(row),
    },
  });
}

/** Two parallel requests may both find no live subscription. The constraint refuses the second. */
async function refusingRace<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (violatedConstraint(error) === 'subscriptions_live') throw new AppError('already_has_access');
    throw error;
  }
}
