import { actorOf, writeAudit } from '../../audit/service';
import { merchantNow } from '../../adapters/clock';
import { cardProvider } from '../../adapters/cardProviders';
import { type RefundRequest, type RefundResult } from '../../adapters/cardProviders/provider';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { publicToken } from '../../kit/publicTokens';
import { refundWorkflowId, type RefundOutcome } from '../../../workflows/messages';
import { formatAmount, isAmount, toMajor, toMinor } from '../billing/money';
import { getPurchase } from '../charges/model';
import { killGift } from '../payments/offers/service';
import {
  findChargeOfPayment,
  findRefundableCharge,
  getChargeOf,
  listUnservedCharges,
  Refund,
  reserveAmount,
  type RefundableCharge,
} from './model';
import { applyRefund, dropRefund } from './outcomes/service';
import { type RefundInput } from './schemas';

/** Promises a refund: what can be refused is refused here, and the amount is set aside with the promise. */
export async function refundPayment(caller: Caller, trxToken: string, input: RefundInput, requestId: string) {
  const charge = await findRefundableCharge(caller.merchantId, trxToken);
  if (!charge) throw new AppError('payment_not_found');
  const amountMinor = readAmount(charge, input.amount);
  const queued = await transaction(async (inTransaction) => {
    const refundedMinor = await reserveAmount(charge.id, amountMinor, inTransaction);
    if (refundedMinor === undefined) throw new AppError('nothing_to_refund');
    await endGift({ ...charge, refundedMinor }, inTransaction);
    const refund = await insertRefund(caller, charge, { ...input, amountMinor }, inTransaction);
    const promised = await promiseWorkflow(refund, requestId, inTransaction);
    const deed = { action: 'payment.refund', objectType: 'refund', objectId: refund.id, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
    return promised;
  });
  await sendNow(queued);
  return message('Submitted for refund');
}

/** A charge that may be given back: whose it is, what it was and what is left of it, in the major unit. */
export async function getRefundable({ merchantId }: Caller, trxToken: string) {
  const charge = await findRefundableCharge(merchantId, trxToken);
  if (!charge) throw new AppError('payment_not_found');
  const { accountId, amountMinor, refundedMinor, currency } = charge;
  return {
    accountId,
    currency,
    amount: toMajor(amountMinor, currency),
    left: toMajor(amountMinor - refundedMinor, currency),
  };
}

/**
 * Promises to give back, whole, what an account was charged after its erasure began. A gift stays paid: it is somebody
 * else's by now. To ask again does no harm.
 */
export async function refundUnserved(of: { accountId: number; merchantId: number; requestId: string }): Promise<void> {
  const asker = { merchantId: of.merchantId, accountId: of.accountId };
  for (const charge of await listUnservedCharges(of.accountId)) {
    const amountMinor = charge.amountMinor - charge.refundedMinor;
    const queued = await transaction(async (inTransaction) => {
      if ((await reserveAmount(charge.id, amountMinor, inTransaction)) === undefined) return undefined;
      return promiseWorkflow(
        await insertRefund(asker, charge, { amountMinor }, inTransaction),
        of.requestId,
        inTransaction,
      );
    });
    if (queued) await sendNow(queued);
  }
}

/** Promises to give back, whole, a payment that gives its buyer nothing; the relay sends the word. */
export async function promiseReturn(
  inTransaction: Transaction,
  { id, merchantId }: { id: number; merchantId: number },
): Promise<void> {
  const charge = await findChargeOfPayment(inTransaction, id);
  const amountMinor = charge.amountMinor - charge.refundedMinor;
  if (amountMinor === 0 || (await reserveAmount(charge.id, amountMinor, inTransaction)) === undefined) return;
  const asker = { merchantId, accountId: merchantId };
  await promiseWorkflow(await insertRefund(asker, charge, { amountMinor }, inTransaction), '', inTransaction);
}

/** Gives back once: the token is the refund's name at the provider, and a settled refund only answers. */
export async function sendRefund(refundId: number): Promise<RefundOutcome> {
  const refund = await Refund.findByPk(refundId, { rejectOnEmpty: true });
  if (refund.state !== 'open') return outcomeOf(refund);
  const request = requestOf(refund, await getChargeOf(refund));
  // Providers keep a key for a day: what is older is looked up before it is sent again.
  const isOld = Date.now() - refund.createdAt.getTime() > keptMs;
  const earlier = isOld ? await cardProvider.lookUpRefund(request) : undefined;
  return settle(refund, earlier && earlier.outcome !== 'not_sent' ? earlier : await cardProvider.refund(request));
}

const keptMs = 20 * 3_600_000;

/** Asks the provider what became of a refund whose answer was lost. */
export async function lookUpRefund(refundId: number): Promise<RefundOutcome> {
  const refund = await Refund.findByPk(refundId, { rejectOnEmpty: true });
  if (refund.state !== 'open') return outcomeOf(refund);
  return settle(refund, await cardProvider.lookUpRefund(requestOf(refund, await getChargeOf(refund))));
}

function readAmount(charge: RefundableCharge, amount: number | undefined): number {
  const leftMinor = charge.amountMinor - charge.refundedMinor;
  if (leftMinor === 0) throw new AppError('nothing_to_refund');
  if (amount === undefined) return leftMinor;
  if (!isAmount(amount, charge.currency))
    throw new AppError('invalid_input', {
      errors: { amount: `The amount has more decimals than ${charge.currency}.` },
    });
  const amountMinor = toMinor(amount, charge.currency);
  if (amountMinor <= leftMinor) return amountMinor;
  const left = formatAmount(leftMinor, charge.currency);
  throw new AppError('invalid_input', { errors: { amount: `The amount must be at most ${left}.` } });
}

/** Given back whole, a gift's code is dead before the money moves: nobody may have both. */
async function endGift(charge: RefundableCharge, inTransaction: Transaction): Promise<void> {
  if (!charge.isGift || charge.refundedMinor < charge.amountMinor) return;
  const { token } = await getPurchase(charge.id, inTransaction);
  if (!(await killGift(inTransaction, token))) throw new AppError('gift_used');
}

function insertRefund(
  caller: Pick<Caller, 'merchantId' | 'accountId'>,
  charge: RefundableCharge,
  { amountMinor, revoke_access: revokeAccess = false }: RefundInput & { amountMinor: number },
  inTransaction: Transaction,
): Promise<Refund> {
  return Refund.create(
    {
      token: publicToken('R', cardProvider.suffix),
      merchantId: caller.merchantId,
      accountId: charge.accountId,
      chargeId: charge.id,
      amountMinor,
      currency: charge.currency,
      revokeAccess,
      state: 'open',
      requestedBy: caller.accountId,
    },
    { transaction: inTransaction },
  );
}

async function promiseWorkflow(refund: Refund, requestId: string, inTransaction: Transaction): Promise<OutboxRow> {
  const { itemId, token } = await getPurchase(refund.chargeId, inTransaction);
  const workflowId = refundWorkflowId(refund.token);
  const summary = `${formatAmount(refund.amountMinor, refund.currency)} back, of ${token}`;
  return enqueue(inTransaction, {
    messageId: workflowId,
    workflow: 'refund',
    workflowId,
    input: { refundId: refund.id },
    labels: { merchantId: refund.merchantId, itemId, state: refund.state, requestId, summary },
  });
}

function requestOf(refund: Refund, charge: RefundableCharge): RefundRequest {
  return {
    idempotencyKey: refund.token,
    chargeKey: charge.idempotencyKey,
    chargeReference: charge.reference ?? '',
    amountMinor: refund.amountMinor,
    currency: refund.currency,
  };
}

/** Writes what the provider said, with all that follows from it. */
async function settle({ id, merchantId }: Refund, result: RefundResult): Promise<RefundOutcome> {
  if (result.outcome === 'not_sent' || result.outcome === 'unknown') return result;
  const { settled, queued } = await transaction(async (inTransaction) => {
    const lock = inTransaction.LOCK.UPDATE;
    const refund = await Refund.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction, lock });
    if (refund.state !== 'open') return { settled: refund, queued: undefined };
    const at = await merchantNow(merchantId, inTransaction);
    if (result.outcome === 'refused') {
      await dropRefund(refund, result.message, at, inTransaction);
      return { settled: refund, queued: undefined };
    }
    return { settled: refund, queued: await applyRefund(refund, result.reference, at, inTransaction) };
  });
  if (queued) await sendNow(queued);
  return outcomeOf(settled);
}

function outcomeOf({ state, failureMessage }: Refund): RefundOutcome {
  if (state === 'refunded') return { outcome: 'refunded' };
  if (state === 'failed') return { outcome: 'refused', message: failureMessage ?? '' };
  return { outcome: 'unknown' };
}
