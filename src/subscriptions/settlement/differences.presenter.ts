import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type BalanceTransaction } from './balanceTransactions.model';
import { type BalanceDifference, type DifferentCharge } from './differences.model';
import { type BalanceTransactionPage, type DifferenceResponse, type Resolution } from './differences.schemas';

/** The amounts are in the major unit. */
export function presentDifference(
  row: BalanceDifference,
  charge: DifferentCharge | undefined,
  { theirs, ours }: { theirs: number; ours: number },
): z.output<typeof DifferenceResponse> {
  const { id, kind, reference, provider, currency, state, resolution, note } = row;
  return {
    id,
    kind,
    reference,
    payment: row.chargeReference,
    transaction: charge?.trxToken ?? '',
    provider,
    provider_amount: theirs,
    ledger_amount: ours,
    currency,
    status: state,
    resolution: resolution ?? '',
    note,
    actions: state === 'open' ? actionsOf(row, charge) : [],
    happened_at: unixSeconds(row.happenedAt),
    found_at: unixSeconds(row.foundAt),
    resolved_at: unixSeconds(row.resolvedAt),
  };
}

/** The available actions. A declined charge gave the customer nothing, so its payment can only be refunded. */
function actionsOf({ kind }: BalanceDifference, charge: DifferentCharge | undefined): Resolution['action'][] {
  if (kind === 'payment_missing') {
    if (!charge) return ['record', 'refund', 'accept'];
    return charge.status === 'declined' ? ['refund', 'accept'] : ['record', 'accept'];
  }
  return ['refund_missing', 'refund_failed', 'dispute_differs'].includes(kind) ? ['record', 'accept'] : ['accept'];
}

type BalanceRow = z.output<typeof BalanceTransactionPage>['collection'][number];

/** The amounts are in the major unit. */
export function presentTransaction(
  row: BalanceTransaction,
  { amount, fee }: { amount: number; fee: number },
): BalanceRow {
  const { id, reference, kind, provider, currency, feeCurrency } = row;
  return {
    id,
    reference,
    kind,
    payment: row.chargeReference,
    object: row.objectReference,
    provider,
    amount,
    currency,
    fee,
    fee_currency: feeCurrency,
    happened_at: unixSeconds(row.happenedAt),
  };
}
