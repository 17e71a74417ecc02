import { getSettings } from '../../accounts/settings';
import { type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { type ChargedPurchase } from '../charges/charges.model';
import { killGift } from '../payments/offers';
import { refundWhole } from './refunds';

/**
 * The card network reports a charge as probably fraudulent. If the merchant has turned this on, the charge is refunded
 * and its access ends, because a refund is cheaper than a dispute. A gift that was used is also refunded.
 */
export async function followFraudWarning(
  inTransaction: Transaction,
  { kind, chargeId, merchantId, token }: ChargedPurchase,
): Promise<OutboxRow[]> {
  const { refundFraudWarnings } = await getSettings(merchantId, inTransaction);
  if (!refundFraudWarnings) return [];
  if (kind === 'payment') await killGift(inTransaction, token);
  const queued = await refundWhole(inTransaction, { chargeId, merchantId });
  return queued ? [queued] : [];
}
