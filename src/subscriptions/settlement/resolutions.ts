import { sendNow, type OutboxRow } from '../../adapters/outbox';
import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { enqueueAnswer } from '../charges/answers';
import { findPurchase, getPurchase } from '../charges/charges.model';
import { followDisputeNow } from '../provider/providerNotifications';
import { getProviderOf } from '../provider/providers';
import { noteReturn, recordCharge } from '../provider/reconciliation.model';
import { confirmLargeRefund } from '../refunds/largeRefunds';
import { followRefunds, readRefunds } from '../refunds/reports';
import { findKey, type BalanceDifference, type DifferentCharge } from './differences.model';

/**
 * The actions that resolve a difference. The provider is asked before the transaction, and each action has one effect.
 */

/** Copies the provider's movement into our books. */
export async function recordDifference(row: BalanceDifference, charge: DifferentCharge | undefined): Promise<void> {
  const queued = row.kind === 'payment_missing' ? await recordPayment(row, charge) : await recordMovement(row);
  for (const signal of queued) await sendNow(signal);
}

/** Records a payment. The run of a charge without an outcome looks the charge up. A missing charge is added. */
async function recordPayment(row: BalanceDifference, charge: DifferentCharge | undefined): Promise<OutboxRow[]> {
  const { merchantId, provider, chargeReference: reference, providerMinor: amountMinor, currency, happenedAt } = row;
  if (charge) {
    const purchase = await getPurchase(charge.id);
    const requestId = `difference:${row.id}`;
    return [await transaction((inTransaction) => enqueueAnswer(inTransaction, purchase, reference, requestId))];
  }
  const idempotencyKey = await findKey(row);
  if (idempotencyKey === undefined) throw new AppError('difference_closed');
  const paid = { idempotencyKey, reference, amountMinor, currency, paidAt: happenedAt, provider };
  const trxToken = await transaction((inTransaction) => recordCharge(inTransaction, paid, merchantId));
  if (trxToken === undefined) throw new AppError('difference_closed');
  return [];
}

async function recordMovement(row: BalanceDifference): Promise<OutboxRow[]> {
  const { merchantId, chargeReference, reference, kind } = row;
  const provider = await getProviderOf(row);
  const purchase = await findPurchase(chargeReference, merchantId);
  if (!purchase) throw new AppError('difference_closed');
  if (kind !== 'dispute_differs') {
    const reported = await readRefunds(provider, chargeReference);
    return transaction((inTransaction) => followRefunds(inTransaction, purchase, reported));
  }
  const dispute = await provider.readDispute?.(reference);
  if (!dispute) throw unavailable();
  const about = { dispute, purchase, provider: provider.name };
  const signal = await transaction((inTransaction) => followDisputeNow(inTransaction, about));
  return signal ? [signal] : [];
}

/** Refunds a payment that our books do not have, under its own key: at most once. */
export async function refundDifference(
  caller: Caller,
  row: BalanceDifference,
  charge: DifferentCharge | undefined,
): Promise<void> {
  const { id, providerMinor: amountMinor, currency, chargeReference } = row;
  await confirmLargeRefund(caller, { amountMinor, currency });
  const chargeKey = charge?.idempotencyKey ?? (await findKey(row)) ?? '';
  const request = { idempotencyKey: `difference:${id}`, chargeKey, chargeReference, amountMinor, currency };
  const provider = await getProviderOf(row);
  const earlier = await provider.lookUpRefund(request);
  const result = earlier.outcome === 'not_sent' ? await provider.refund(request) : earlier;
  if (result.outcome === 'refused') throw new AppError('difference_closed', { explain: result.message });
  if (result.outcome !== 'refunded' && result.outcome !== 'pending') throw unavailable();
  if (charge) await transaction((inTransaction) => noteReturn(inTransaction, charge.id, chargeReference));
}

const unavailable = () =>
  new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
