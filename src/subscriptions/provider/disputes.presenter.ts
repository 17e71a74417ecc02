import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type Dispute, type DisputedPurchase, type EvidenceFacts } from './disputes.model';
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

export function presentEvidence(facts: EvidenceFacts): z.output<typeof Evidence> {
  const { customerName, customerEmail, customerAddress, planName, itemTitle, accessFrom, accessTo, signIns } = facts;
  const access =
    accessFrom && accessTo ? [`Access to "${itemTitle}" from ${instant(accessFrom)} to ${instant(accessTo)}`] : [];
  return {
    customer_name: customerName,
    customer_email: customerEmail,
    customer_address: customerAddress,
    product: `${itemTitle}: ${planName}`,
    paid_on: facts.paidAt.toISOString().slice(0, 10),
    access_log: [...access, ...signIns.map((at) => `${instant(at)}: the customer signed in`)].join('\n'),
  };
}

/** `2026-03-01 12:00 UTC`. */
const instant = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
