import { audit } from '../../audit/audit';
import { enqueue, sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { publicToken } from '../../kit/publicTokens';
import { refundWorkflowId } from '../../../workflows/messages';
import { formatAmount, isAmount, toMajor, toMinor } from '../../billing/money';
import { getPurchase } from '../charges/charges.model';
import { readBalance } from '../balances/balances';
import { refundableMinor, roundToStep, stepMinor } from '../../billing/dues';
import { killGift } from '../payments/offers';
import { getProviderOf } from '../provider/providers';
import {
  findChargeOfPayment,
  findRefundableCharge,
  getChargeOf,
  listPaidOfCycle,
  listUnservedCharges,
  lockMoney,
  Refund,
  type RefundableCharge,
} from './refunds.model';
import { confirmLargeRefund } from './largeRefunds';
import { returnPart, setAside, takeCreditBack, type SetAside } from './reserves';
import { type RefundInput } from './refunds.schemas';

/** Requests a refund: every refusal happens here, and the amount is reserved in the same transaction. */
export async function refundPayment(caller: Caller, trxToken: string, input: RefundInput, requestId: string) {
  const charge = await findRefundableCharge(caller.merchantId, trxToken);
  if (!charge) throw new AppError('payment_not_found');
  const amountMinor = readAmount(charge, await readBalance(charge), input.amount);
  const queued = await transaction(async (inTransaction) => {
    const reserved = await setAside(charge.id, amountMinor, inTransaction);
    if (!reserved) throw new AppError('nothing_to_refund');
    const { refundedMinor, currency } = reserved.charge;
    await confirmLargeRefund(caller, { amountMinor: refundedMinor, currency }, inTransaction);
    await endGift(reserved.charge, inTransaction);
    const refund = await insertRefund(caller, reserved, { ...input, amountMinor }, inTransaction);
    const started = await enqueueWorkflow(refund, requestId, inTransaction);
    await audit(inTransaction, caller, { action: 'payment.refund', object: ['refund', refund.id], requestId });
    return started;
  });
  await sendNow(queued);
  return message('Submitted for refund');
}

/**
 * Refunds in full the charges of an account that were paid after its erasure began. A gift is not refunded, because it
 * belongs to its receiver. The call is idempotent.
 */
export async function refundUnserved(of: { accountId: number; merchantId: number; requestId: string }): Promise<void> {
  const requester = { merchantId: of.merchantId, accountId: of.accountId };
  for (const charge of await listUnservedCharges(of.accountId)) {
    const amountMinor = refundableMinor(charge, await readBalance(charge));
    const queued = await transaction((inTransaction) =>
      insertFullRefund(requester, { id: charge.id, amountMinor }, of.requestId, inTransaction),
    );
    if (queued) await sendNow(queued);
  }
}

/** Refunds in full a payment that gives its buyer nothing. The relay starts the workflow after the commit. */
export async function refundUnusedPayment(
  inTransaction: Transaction,
  { id, merchantId }: { id: number; merchantId: number },
): Promise<void> {
  await refundCharge(inTransaction, merchantId, await findChargeOfPayment(inTransaction, id));
}

/** Refunds in full the charge of a cycle that did not take effect. */
export async function refundCycle(
  inTransaction: Transaction,
  { id, merchantId, cycle }: { id: number; merchantId: number; cycle: number },
): Promise<void> {
  for (const charge of await listPaidOfCycle(inTransaction, id, cycle))
    await refundCharge(inTransaction, merchantId, charge);
}

/** Refunds the card's part, and returns the balance's part to the balance. */
async function refundCharge(inTransaction: Transaction, merchantId: number, { id }: RefundableCharge): Promise<void> {
  const charge = await lockMoney(id, inTransaction);
  const amountMinor = refundableMinor(charge, await readBalance(charge, inTransaction));
  await insertFullRefund({ merchantId, accountId: merchantId }, { id, amountMinor }, '', inTransaction);
  await returnPart(charge, inTransaction);
}

/**
 * Refunds a charge in full, and ends its access. Undefined if nothing is left to refund. Throws `service_unavailable`
 * while the outcome of the charge is not known.
 */
export async function refundWhole(
  inTransaction: Transaction,
  { chargeId, merchantId }: { chargeId: number; merchantId: number },
): Promise<OutboxRow | undefined> {
  const charge = await getChargeOf({ chargeId }, inTransaction);
  if (charge.status === 'declined') return undefined;
  if (charge.status !== 'paid') throw new AppError('service_unavailable', { retryAfterSeconds: 60 });
  const amountMinor = refundableMinor(charge, await readBalance(charge, inTransaction));
  const refund = { id: chargeId, amountMinor, revokesAccess: true };
  return insertFullRefund({ merchantId, accountId: merchantId }, refund, '', inTransaction);
}

type Requester = Pick<Caller, 'merchantId' | 'accountId'>;

/** Undefined if nothing is left to refund. */
async function insertFullRefund(
  requester: Requester,
  { id, amountMinor, revokesAccess = false }: { id: number; amountMinor: number; revokesAccess?: boolean },
  requestId: string,
  inTransaction: Transaction,
): Promise<OutboxRow | undefined> {
  const reserved = amountMinor === 0 ? undefined : await setAside(id, amountMinor, inTransaction);
  if (!reserved) return undefined;
  return enqueueWorkflow(
    await insertRefund(requester, reserved, { amountMinor, revoke_access: revokesAccess }, inTransaction),
    requestId,
    inTransaction,
  );
}

function readAmount(charge: RefundableCharge, balanceMinor: number, amount: number | undefined): number {
  const leftMinor = refundableMinor(charge, balanceMinor);
  if (leftMinor === 0) throw new AppError('nothing_to_refund');
  if (amount === undefined) return leftMinor;
  if (!isAmount(amount, charge.currency))
    throw new AppError('invalid_input', {
      errors: { amount: `The amount has more decimals than ${charge.currency}.` },
    });
  const amountMinor = toMinor(amount, charge.currency);
  const stepMajor = toMajor(stepMinor(charge.currency), charge.currency);
  if (roundToStep(amountMinor, charge.currency) !== amountMinor)
    throw new AppError('invalid_input', {
      errors: { amount: `The amount must be a multiple of ${stepMajor} in ${charge.currency}.` },
    });
  if (amountMinor <= leftMinor) return amountMinor;
  const left = formatAmount(leftMinor, charge.currency);
  throw new AppError('invalid_input', { errors: { amount: `The amount must be at most ${left}.` } });
}

/** A full refund of a gift ends its code before the money moves, so that a customer cannot get both. */
async function endGift(charge: RefundableCharge, inTransaction: Transaction): Promise<void> {
  if (!charge.isGift || charge.refundedMinor < charge.amountMinor) return;
  const { token } = await getPurchase(charge.id, inTransaction);
  if (!(await killGift(inTransaction, token))) throw new AppError('gift_used');
}

async function insertRefund(
  caller: Requester,
  { charge, creditMinor }: SetAside,
  { amountMinor, revoke_access: revokeAccess = false }: RefundInput & { amountMinor: number },
  inTransaction: Transaction,
): Promise<Refund> {
  const { suffix } = await getProviderOf(charge, inTransaction);
  const refund = await Refund.create(
    {
      token: publicToken('R', suffix),
      merchantId: caller.merchantId,
      accountId: charge.accountId,
      chargeId: charge.id,
      amountMinor,
      currency: charge.currency,
      revokeAccess,
      state: 'open',
      requestedBy: caller.accountId,
      creditMinor,
    },
    { transaction: inTransaction },
  );
  await takeCreditBack(refund, inTransaction);
  return refund;
}

/** Starts the run of a refund. It sends the refund, or looks up a pending one. */
export async function enqueueWorkflow(
  refund: Refund,
  requestId: string,
  inTransaction: Transaction,
): Promise<OutboxRow> {
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
