import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { findRun } from '../../adapters/runs';
import { updateWorkflow } from '../../adapters/temporal';
import { findAccessEnd } from '../../entitlements/running';
import { type SellableFee } from '../../items/accessFees/accessFees';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { findRedirectName, findWalletName, isOfForm } from '../../kit/paymentMethods';
import { publicToken } from '../../kit/publicTokens';
import { refuseRestricted } from '../../restrictions/restrictions';
import { getOfferedFee } from '../../vouchers/offers';
import { decideAddedTax, type Taxed, withProvidedTax } from '../../tax/addedTaxes';
import { giveUpPaymentUpdate, paymentWorkflowId, type PaymentResult } from '../../../workflows/messages';
import { quoteFirst } from '../balances/balances';
import { formatAmount } from '../../billing/money';
import { endOfTime, periodEnd } from '../../billing/periods';
import { findPayingCard, namedMethod, refuseWithoutCard, type PayingCard } from '../cards';
import { webAddress } from '../cards.schemas';
import { repeatAction } from '../charges/actions';
import { confirmPayment } from '../charges/answers';
import { readMandate } from '../methods/mandates';
import { prepareRedirect } from '../methods/redirects';
import { refuseMisfit, refuseNamed } from '../methods/methods';
import { originOf, type Origin } from '../origins';
import { getProvider } from '../provider/providers';
import { keptOf, setupFeeOf } from '../../vouchers/prices';
import { firstDueOf, refuseChangedPrice, refuseTooLong } from '../quotes';
import { findSamePayment, findWaitingPayment, Payment } from './payments.model';
import { checkVoucher, takeVoucher } from './offers';
import { type PaymentInput, type SubmittedPayment } from './payments.schemas';

/**
 * Submits a one-time payment. Every refusal that needs no charge happens here. The payment's workflow charges. Its
 * start is committed with the row.
 */
export async function createPayment(caller: Caller, input: PaymentInput, request: RequestFacts) {
  await refuseNamed(caller, namedMethod(input));
  const asked = await readOrder(caller, input, request);
  refuseMisfit(input.payment_method ?? 'card', asked.fee);
  await refuseRestricted(caller, request, asked.fee.itemId);
  const order = { ...asked, fee: await withProvidedTax(caller, asked.fee) };
  if (input.voucher_code !== undefined) await checkVoucher(caller, { ...order.about, code: input.voucher_code });
  const card = await findMeans(caller, input, order, request);
  const answered = isWithCard(input) || card?.isSingleUse ? await giveUpWaiting(caller, order, request) : undefined;
  if (answered) return submitted(answered);
  const { payment, queued } = await transaction(async (inTransaction) => {
    const hasKey = request.idempotencyKey !== undefined;
    const same = await findSamePayment(caller.accountId, { ...order, hasKey }, inTransaction);
    if (same) {
      await repeatAction(same.id, request.requestId, inTransaction);
      return { payment: same };
    }
    const payment = await insertPayment(caller, order, card, inTransaction);
    return { payment, queued: await enqueueWorkflow(payment, request.requestId, inTransaction) };
  });
  if (queued) await sendNow(queued);
  return submitted(payment);
}

function findMeans(
  caller: Caller,
  input: PaymentInput,
  { fee }: Order,
  request: RequestFacts,
): Promise<PayingCard | undefined> {
  const { payment_method: method = 'card' } = input;
  const wallet = findWalletName(method);
  const onPage = wallet && input.payment_token === undefined ? wallet : findRedirectName(method);
  if (onPage) return prepareRedirect(caller, onPage);
  return wallet || isOfForm(method)
    ? findPayingCard(caller, input, fee.currency, request)
    : readMandate(caller, request);
}

/** Continues a payment or a subscription after an authentication. */
export async function continuePayment(caller: Caller, reference: string, requestId: string) {
  return submitted(await confirmPayment(caller, reference, requestId));
}

const isWithCard = (input: PaymentInput) => input.number !== undefined || input.payment_token !== undefined;

/**
 * Gives up the waiting payment of a payer who pays with another card, or on another page, instead of authenticating. Returns
 * that payment if it was paid in the meantime. While the workflow server is unavailable, the payment is not given up, and
 * its event is repeated.
 */
async function giveUpWaiting(caller: Caller, order: Order, request: RequestFacts) {
  const waiting = await findWaitingPayment(caller.accountId, order);
  if (!waiting) return undefined;
  const update = { name: giveUpPaymentUpdate, id: request.requestId, input: {}, refusedType: '' };
  const workflowId = paymentWorkflowId(waiting.token);
  const given = await updateWorkflow<PaymentResult>(workflowId, update, () => findRun('payment', workflowId));
  return 'result' in given && given.result.state === 'paid' ? { ...waiting, state: 'paid' } : undefined;
}

/** A purchase and its receiver. */
interface Order {
  about: { itemId: number; accessFeeId: number };
  fee: Taxed<SellableFee>;
  accessType: Payment['accessType'];
  receiverEmail: string | null;
  input: PaymentInput;
  origin: Origin;
}

async function readOrder(caller: Caller, input: PaymentInput, request: RequestFacts): Promise<Order> {
  const feeId = input.access_fee ?? input.access_fee_id;
  if (feeId === undefined)
    throw new AppError('missing_parameter', { errors: { access_fee: 'The access_fee must not be empty.' } });
  const fee = await getOfferedFee(caller, feeId, input.voucher_code);
  const accessType = paidOnce(fee, input);
  if (accessType === undefined)
    throw new AppError('invalid_input', { errors: { access_fee: 'The access_fee must be of the type ppv.' } });
  const about = { itemId: fee.itemId, accessFeeId: fee.id };
  const origin = originOf(caller, withReturn(input), request);
  const order: Order = { about, fee, accessType, receiverEmail: receiverOf(input), input, origin };
  await refuseBadDay(caller, order);
  if (order.receiverEmail === null) await refuseUseless(caller, order);
  return order;
}

/** Clients send no return URL for a wallet, so that the payer goes back to the page of the purchase. */
function withReturn(input: PaymentInput): PaymentInput {
  const { payment_method: method = 'card', return_url: returnUrl, referrer } = input;
  if (returnUrl !== undefined || findWalletName(method) === undefined) return input;
  return { ...input, return_url: webAddress.safeParse(referrer).data };
}

/** What is paid once. The first period of a subscription can be a gift. Its receiver decides whether to continue. */
function paidOnce({ accessType }: SellableFee, { is_gift: isGift }: PaymentInput): Payment['accessType'] | undefined {
  if (accessType === 'ppv' || accessType === 'ppv_custom') return accessType;
  return accessType === 'subscription' && isGift === true ? accessType : undefined;
}

function receiverOf({ is_gift: isGift, receiver_email: receiverEmail }: PaymentInput): string | null {
  if (isGift !== true) return null;
  if (receiverEmail !== undefined) return receiverEmail;
  throw new AppError('missing_parameter', { errors: { receiver_email: 'The receiver_email must not be empty.' } });
}

const yearMs = 366 * 86_400_000;

async function refuseBadDay({ merchantId }: Caller, { receiverEmail, input }: Order): Promise<void> {
  if (input.deliver_on === undefined) return;
  const aheadMs = input.deliver_on.getTime() - (await merchantNow(merchantId)).getTime();
  const rules: [isKept: boolean, rule: string][] = [
    [receiverEmail !== null, 'is for a gift'],
    [aheadMs > 0, 'must be in the future'],
    [aheadMs <= yearMs, 'must be within a year'],
  ];
  const [, broken] = rules.find(([isKept]) => !isKept) ?? [];
  if (broken !== undefined)
    throw new AppError('invalid_input', { errors: { deliver_on: `The deliver_on ${broken}.` } });
}

/** Refuses a purchase that would not extend the consumer's access. */
async function refuseUseless({ accountId }: Caller, { fee, accessType }: Order): Promise<void> {
  const endsAt = await findAccessEnd(accountId, fee.itemId);
  if (accessType !== 'ppv_custom') refuseTooLong(fee, fee.whenOwned === 'start_now' ? undefined : endsAt);
  const lastEnd = accessType === 'ppv_custom' ? fee.expiresAt : lastEndOf(fee);
  if (endsAt && lastEnd && endsAt >= lastEnd) throw new AppError('already_has_access');
}

const lastEndOf = ({ whenOwned, present, quantity, period }: SellableFee) =>
  whenOwned === 'start_now' ? periodEnd(present, 1, { quantity, period }) : endOfTime;

/** A gift cannot pay for another gift. */
const giftPaidByGift = () =>
  new AppError('invalid_input', { errors: { voucher_code: 'The voucher_code of a gift cannot pay for a gift.' } });

async function insertPayment(
  caller: Caller,
  order: Order,
  card: PayingCard | undefined,
  inTransaction: Transaction,
): Promise<Payment> {
  const { fee, receiverEmail, input } = order;
  const { merchantId, accountId } = caller;
  const provider = await getProvider(merchantId, inTransaction);
  const token = publicToken('C', provider.suffix);
  const about = { merchantId, accountId, ...order.about };
  const code = input.voucher_code;
  const voucher = code === undefined ? undefined : await takeVoucher(inTransaction, { ...about, code, subject: token });
  if (voucher?.isGift === true && receiverEmail !== null) throw giftPaidByGift();
  const addedTax = await decideAddedTax(caller, fee, inTransaction);
  const chargedMinor = firstDueOf(fee, voucher, addedTax);
  const paidMinor = await quoteFirst({ accountId, currency: fee.currency }, chargedMinor, inTransaction);
  refuseChangedPrice(paidMinor, fee.currency, input);
  if (paidMinor > 0 && !card) await refuseWithoutCard(caller, fee.currency);
  return Payment.create(
    {
      ...about,
      ...keptOf(voucher),
      token,
      cardId: (await cardOf(card, paidMinor)?.save(inTransaction)) ?? null,
      state: 'incomplete',
      ...boughtAccess(order),
      setupFeeMinor: setupFeeOf(fee, voucher),
      chargedMinor,
      addedTax,
      isGift: receiverEmail !== null,
      receiverEmail,
      deliverOn: input.deliver_on ?? null,
      ...order.origin,
    },
    { transaction: inTransaction },
  );
}

/** A purchase that charges nothing saves no new card. */
function cardOf(card: PayingCard | undefined, paidMinor: number): PayingCard | undefined {
  return card?.isSingleUse && paidMinor === 0 ? undefined : card;
}

/** The access that the fee sells at the time of the purchase. Later changes of the fee do not affect the payment. */
function boughtAccess({ fee, accessType }: Order) {
  return {
    accessType,
    periodQuantity: fee.quantity,
    period: fee.period,
    accessEndsAt: accessType === 'ppv_custom' ? fee.expiresAt : null,
    whenOwned: fee.whenOwned,
    priceMinor: fee.amountMinor,
    currency: fee.currency,
  };
}

function enqueueWorkflow(payment: Payment, requestId: string, inTransaction: Transaction): Promise<OutboxRow> {
  const { merchantId, itemId, state } = payment;
  const workflowId = paymentWorkflowId(payment.token);
  const summary = `${formatAmount(payment.chargedMinor, payment.currency)} once, item ${itemId}`;
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'payment',
    workflowId,
    input: { paymentId: payment.id },
    labels: { merchantId, itemId, state, requestId, summary },
  });
}

/** The reason why the caller's payment failed, or an empty string. */
export async function getFailureReason({ accountId }: Caller, token: string): Promise<string> {
  const payment = await Payment.findOne({ where: { accountId, token }, attributes: ['failureReason'] });
  return payment?.failureReason ?? '';
}

function submitted({ token, state }: { token: string; state: string }): z.output<typeof SubmittedPayment> {
  const text = 'Submitted for payment';
  return { code: 200, message: text, explain: text, transaction: token, status: state };
}
