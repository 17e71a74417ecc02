import { type z } from 'zod';
import { refuseForbiddenMethod } from '../../accounts/followers/service';
import { merchantNow } from '../../adapters/clock';
import { cardProvider } from '../../adapters/cardProviders';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { updateWorkflow } from '../../adapters/temporal';
import { findAccessEnd } from '../../items/access/running/service';
import { endOfTime } from '../../items/access/service';
import { type SellableFee } from '../../items/accessFees/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { publicToken } from '../../kit/publicTokens';
import { refuseRestricted } from '../../restrictions/service';
import { getOfferedFee } from '../../vouchers/offers/service';
import { giveUpPaymentUpdate, paymentWorkflowId, type PaymentResult } from '../../../workflows/messages';
import { formatAmount } from '../billing/money';
import { periodEnd } from '../billing/periods';
import { cardMethodId, findPayingCard, missingCard } from '../cards/service';
import { askAgain, confirmPayment } from '../charges/service';
import { originOf, type Origin } from '../origins/service';
import { firstMinorOf, keptOf, setupFeeOf } from '../prices/service';
import { refuseDearer } from '../quotes/service';
import { findSamePayment, findWaitingPayment, Payment } from './model';
import { checkVoucher, takeVoucher } from './offers/service';
import { type PaymentInput, type SubmittedPayment } from './schemas';

/**
 * Submits a one-time payment: what can be refused is refused here; the charge and everything after it belong to the
 * payment's workflow, whose start is committed with the row.
 */
export async function createPayment(caller: Caller, input: PaymentInput, request: RequestFacts) {
  if (input.pi_id !== undefined) return submitted(await confirmPayment(caller, input.pi_id, request.requestId));
  const order = await readOrder(caller, input, request);
  await refuseForbiddenMethod(caller.merchantId, cardMethodId);
  await refuseRestricted(caller, request, order.fee.itemId);
  if (input.voucher_code !== undefined) await checkVoucher(caller, { ...order.about, code: input.voucher_code });
  const card = await findPayingCard(caller, input, order.fee.currency);
  const answered = isWithCard(input) ? await giveUpWaiting(caller, order, request) : undefined;
  if (answered) return submitted(answered);
  const { payment, queued } = await transaction(async (inTransaction) => {
    const hasKey = request.idempotencyKey !== undefined;
    const same = await findSamePayment(caller.accountId, { ...order, hasKey }, inTransaction);
    if (same) {
      await askAgain(same.id, request.requestId, inTransaction);
      return { payment: same };
    }
    const payment = await insertPayment(caller, order, card, inTransaction);
    return { payment, queued: await promiseWorkflow(payment, request.requestId, inTransaction) };
  });
  if (queued) await sendNow(queued);
  return submitted(payment);
}

const isWithCard = (input: PaymentInput) => input.number !== undefined || input.payment_token !== undefined;

/**
 * Another card instead of an authentication that the payer has left behind: the payment that waits for it is given up.
 * Answers it when it was paid in the meantime. While the workflow server is away it stays, and its payer is asked again.
 */
async function giveUpWaiting(caller: Caller, order: Order, request: RequestFacts) {
  const waiting = await findWaitingPayment(caller.accountId, order);
  if (!waiting) return undefined;
  const update = { name: giveUpPaymentUpdate, id: request.requestId, input: {}, refusedType: '' };
  const given = await updateWorkflow<PaymentResult>(paymentWorkflowId(waiting.token), update);
  return 'result' in given && given.result.state === 'paid' ? { ...waiting, state: 'paid' } : undefined;
}

/** What is bought, and for whom. */
interface Order {
  about: { itemId: number; accessFeeId: number };
  fee: SellableFee;
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
  const origin = originOf(caller, input, request);
  const order: Order = { about, fee, accessType, receiverEmail: receiverOf(input), input, origin };
  await refuseBadDay(caller, order);
  if (order.receiverEmail === null) await refuseUseless(caller, order);
  return order;
}

/** Of a subscription its first period may be given (subscriptions 7): whether it goes on is its receiver's to say. */
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

/** Who has access for as long as the fee could give it would pay for nothing. */
async function refuseUseless({ accountId }: Caller, { fee, accessType }: Order): Promise<void> {
  const endsAt = await findAccessEnd(accountId, fee.itemId);
  const lastEnd = accessType === 'ppv_custom' ? fee.expiresAt : lastEndOf(fee);
  if (endsAt && lastEnd && endsAt >= lastEnd) throw new AppError('already_has_access');
}

const lastEndOf = ({ whenOwned, present, quantity, period }: SellableFee) =>
  whenOwned === 'start_now' ? periodEnd(present, 1, { quantity, period }) : endOfTime;

/** A gift is for who it was made for (subscriptions 7). */
const givenTwice = () =>
  new AppError('invalid_input', { errors: { voucher_code: 'The voucher_code of a gift gives no gift.' } });

type PayingCard = Awaited<ReturnType<typeof findPayingCard>>;

async function insertPayment(
  caller: Caller,
  order: Order,
  card: PayingCard,
  inTransaction: Transaction,
): Promise<Payment> {
  const { fee, accessType, receiverEmail, input } = order;
  const { merchantId, accountId } = caller;
  const token = publicToken('C', cardProvider.suffix);
  const about = { merchantId, accountId, ...order.about };
  const voucher =
    input.voucher_code === undefined
      ? undefined
      : await takeVoucher(inTransaction, { ...about, code: input.voucher_code, subject: token });
  if (voucher?.isGift === true && receiverEmail !== null) throw givenTwice();
  const chargedMinor = firstMinorOf(fee, voucher);
  refuseDearer(chargedMinor, fee.currency, input.expected_amount);
  if (chargedMinor > 0 && !card) throw missingCard();
  return Payment.create(
    {
      ...about,
      ...keptOf(voucher),
      token,
      cardId: (await card?.(inTransaction)) ?? null,
      state: 'incomplete',
      accessType,
      periodQuantity: fee.quantity,
      period: fee.period,
      accessEndsAt: accessType === 'ppv_custom' ? fee.expiresAt : null,
      whenOwned: fee.whenOwned,
      priceMinor: fee.amountMinor,
      setupFeeMinor: setupFeeOf(fee, voucher),
      chargedMinor,
      currency: fee.currency,
      isGift: receiverEmail !== null,
      receiverEmail,
      deliverOn: input.deliver_on ?? null,
      ...order.origin,
    },
    { transaction: inTransaction },
  );
}

function promiseWorkflow(payment: Payment, requestId: string, inTransaction: Transaction): Promise<OutboxRow> {
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

/** Why the caller's payment failed: a reason as subscriptions have it, or nothing. For a page of ours. */
export async function getFailureReason({ accountId }: Caller, token: string): Promise<string> {
  const payment = await Payment.findOne({ where: { accountId, token }, attributes: ['failureReason'] });
  return payment?.failureReason ?? '';
}

function submitted({ token, state }: { token: string; state: string }): z.output<typeof SubmittedPayment> {
  const text = 'Submitted for payment';
  return { code: 200, message: text, explain: text, transaction: token, status: state };
}
