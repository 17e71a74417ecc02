import { type CardProvider } from '../../adapters/cardProviders/provider';
import { statement } from '../../adapters/postgres/statement';
import { platformFee, platformFeeIsRefunded } from '../../adapters/settings';
import { applicationFee } from '../../billing/applicationFees';

/**
 * The operator's part of a payment on a connected account. It is saved before the first try, because a provider refuses a
 * repeated key with another amount: a changed setting counts for later payments.
 */
export async function feeOf(
  { id, amountMinor, currency }: { id: number; amountMinor: number; currency: string },
  { isOfPlatform = false }: CardProvider,
): Promise<{ applicationFeeMinor?: number }> {
  if (!isOfPlatform) return {};
  const [kept] = await feeStatement([id, applicationFee(platformFee, amountMinor, currency)]);
  return kept ? { applicationFeeMinor: kept.feeMinor } : {};
}

const feeStatement = statement<{ feeMinor: number }>(
  'charge_application_fee',
  `UPDATE charges SET application_fee_minor = coalesce(application_fee_minor, $2) WHERE id = $1
   RETURNING application_fee_minor AS "feeMinor"`,
);

/** Whether a refund gives the operator's part back. */
export async function feeReturnOf(
  refundId: number,
  { isOfPlatform = false }: CardProvider,
): Promise<{ returnsFee?: boolean }> {
  if (!isOfPlatform) return {};
  const [kept] = await returnStatement([refundId, platformFeeIsRefunded]);
  return kept ? { returnsFee: kept.returnsFee } : {};
}

const returnStatement = statement<{ returnsFee: boolean }>(
  'refund_application_fee',
  `UPDATE refunds r SET returns_fee = coalesce(returns_fee, $2::boolean AND coalesce(c.application_fee_minor, 0) > 0)
   FROM charges c WHERE r.id = $1 AND c.id = r.charge_id RETURNING r.returns_fee AS "returnsFee"`,
);
