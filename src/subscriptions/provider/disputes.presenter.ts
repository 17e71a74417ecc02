import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type Dispute, type DisputedPurchase } from './disputes.model';
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

/** The evidence without the merchant's statement. */
interface PresentedEvidence {
  customerName: string;
  customerEmail: string;
  customerAddress: string;
  productDescription: string;
  serviceDay: string;
  accessLog: string;
}

export function presentEvidence(evidence: PresentedEvidence): z.output<typeof Evidence> {
  return {
    customer_name: evidence.customerName,
    customer_email: evidence.customerEmail,
    customer_address: evidence.customerAddress,
    product: evidence.productDescription,
    paid_on: evidence.serviceDay,
    access_log: evidence.accessLog,
  };
}
