import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type Dispute, type DisputedPurchase, type ReadableEvidence } from './disputes.model';
import { type DisputeResponse, type Evidence } from './disputes.schemas';

/** `amount` and `fee` are in the major unit. */
export function presentDispute(
  row: Dispute,
  purchase: DisputedPurchase | undefined,
  { amount, fee }: { amount: number; fee: number },
): z.output<typeof DisputeResponse> {
  const { id, reference, reason, status, currency, feeCurrency, openedAt, dueAt, evidenceSentAt } = row;
  return {
    id,
    reference,
    transaction: purchase?.trxToken ?? '',
    purchase: purchase?.purchaseToken ?? '',
    customer_id: purchase?.accountId ?? 0,
    reason,
    status,
    amount,
    currency,
    fee,
    fee_currency: feeCurrency ?? '',
    opened_at: unixSeconds(openedAt),
    due_at: unixSeconds(dueAt),
    evidence_sent_at: unixSeconds(evidenceSentAt),
  };
}

export function presentEvidence(evidence: ReadableEvidence): z.output<typeof Evidence> {
  return {
    customer_name: evidence.customerName,
    customer_email: evidence.customerEmail,
    customer_address: evidence.customerAddress,
    product: evidence.productDescription,
    paid_on: evidence.serviceDay,
    purchase_device: evidence.purchaseDevice,
    access_log: evidence.accessLog,
    receipt: evidence.hasReceipt ? `/v2/accounting/transactions/${evidence.trxToken}/receipt` : '',
  };
}
