import { requireRecentFactor } from '../../accounts/secondFactors/recentFactors';
import { getSettings } from '../../accounts/settings';
import { type Transaction } from '../../adapters/postgres/connection';
import { toMajor } from '../../billing/money';
import { type Caller } from '../../kit/auth';

/**
 * Requires a recent confirmation if all refunds of a payment together exceed the merchant's limit. `amountMinor` includes
 * the earlier refunds, so that many small ones do not pass below the limit. Read it under the lock that the refund takes.
 */
export async function confirmLargeRefund(
  caller: Caller,
  { amountMinor, currency }: { amountMinor: number; currency: string },
  inTransaction?: Transaction,
): Promise<void> {
  const { refundConfirmationAbove } = await getSettings(caller.merchantId, inTransaction);
  if (toMajor(amountMinor, currency) > refundConfirmationAbove) await requireRecentFactor(caller, inTransaction);
}
