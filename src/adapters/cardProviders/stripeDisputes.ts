import Stripe from 'stripe';
import { type DisputeEvidence, type EvidenceFile, type EvidenceResult, type NotifiedDispute } from './notifications';
import { fromStripeAmount } from './stripeAmounts';

/** The part of Stripe's dispute that a notification has. Tests of Stripe's dashboard send fewer fields. */
interface StripeDispute {
  id?: string;
  status?: string;
  reason?: string;
  amount?: number;
  currency?: string;
  evidence_details?: { due_by?: number | null };
  payment_method_details?: { card?: { case_type?: string } } | null;
  balance_transactions?: { amount?: number; fee?: number; currency?: string }[];
}

export function disputeOf(dispute: StripeDispute, at: Date): Omit<NotifiedDispute, 'reference'> {
  const { reason, amount, evidence_details: details } = dispute;
  const currency = dispute.currency?.toUpperCase();
  return {
    at,
    status: statusOf(dispute),
    ...(isBlocked(dispute) && { isBlocked: true }),
    ...(reason !== undefined && { reason }),
    ...(amount !== undefined &&
      currency !== undefined && { amountMinor: fromStripeAmount(amount, currency), currency }),
    ...feeOf(dispute),
    ...(typeof details?.due_by === 'number' && { dueAt: new Date(details.due_by * 1000) }),
  };
}

/** The statuses that this version of Stripe's types names. Its type also allows any other text. */
type KnownStatus = LiteralOf<Stripe.Dispute.Status>;
type LiteralOf<T> = T extends string ? (string extends T ? never : T) : never;

/**
 * What each status of Stripe means here. While a decision is appealed, Stripe takes only evidence of the appeal, which the
 * merchant submits in Stripe's dashboard. The appeal can return the money, so the dispute stays open and is looked up daily.
 */
const meanings: Readonly<Record<KnownStatus, NotifiedDispute['status'] | 'inquiry' | 'prevented'>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'inquiry',
  needs_response: 'needs_response',
  under_review: 'under_review',
  appeal_needs_response: 'under_review',
  appeal_under_review: 'under_review',
  won: 'won',
  lost: 'lost',
  prevented: 'prevented',
};
const known = new Map<string, (typeof meanings)[KnownStatus]>(Object.entries(meanings));

/** A status of a later version is no decision that we know. Stripe's inquiries have statuses that begin with `warning_`. */
const meaningOf = (status = '') =>
  known.get(status) ?? (status.startsWith('warning_') ? 'inquiry' : ('under_review' as const));

function statusOf(dispute: StripeDispute): NotifiedDispute['status'] {
  const meaning = meaningOf(dispute.status);
  if (meaning === 'inquiry') return 'under_review';
  // The dispute is closed, so Stripe accepts no evidence.
  if (meaning === 'prevented') return isBlocked(dispute) ? 'won' : 'lost';
  return meaning;
}

/** Whether the bank only asks, and takes no money. */
export const isInquiry = ({ status }: StripeDispute) => meaningOf(status) === 'inquiry';

/**
 * Whether Stripe has prevented the dispute by blocking it, so that the bank takes no money. A dispute that Stripe has
 * prevented by a rule of the merchant is a `resolution`: the customer gets the money.
 */
function isBlocked({ status, payment_method_details: details, balance_transactions: movements = [] }: StripeDispute) {
  if (status !== 'prevented') return false;
  return details?.card?.case_type !== 'resolution' && !movements.some(({ amount = 0 }) => amount < 0);
}

/** Each movement of a dispute can have a fee. All are in the currency of the account. */
function feeOf({ balance_transactions: movements = [] }: StripeDispute): Pick<NotifiedDispute, 'fee'> {
  const currency = movements[0]?.currency?.toUpperCase();
  if (currency === undefined) return {};
  const total = movements.reduce((sum, { fee = 0 }) => sum + fee, 0);
  return { fee: { amountMinor: fromStripeAmount(total, currency), currency } };
}

export async function submitEvidence(
  client: Stripe,
  disputeReference: string,
  evidence: DisputeEvidence,
): Promise<EvidenceResult> {
  const { customerAddress } = evidence;
  try {
    const receipt = evidence.receipt && (await upload(client, evidence.receipt));
    await client.disputes.update(disputeReference, {
      submit: true,
      evidence: {
        customer_name: evidence.customerName,
        customer_email_address: evidence.customerEmail,
        ...(customerAddress !== '' && { customer_purchase_ip: customerAddress }),
        product_description: evidence.productDescription,
        service_date: evidence.serviceDay,
        access_activity_log: evidence.accessLog,
        ...(receipt !== undefined && { receipt }),
        uncategorized_text: evidence.statement,
      },
    });
    return { outcome: 'submitted' };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { StripeInvalidRequestError, StripePermissionError, StripeAuthenticationError } = Stripe.errors;
    const isRefused = [StripeInvalidRequestError, StripePermissionError, StripeAuthenticationError].some(
      (kind) => error instanceof kind,
    );
    return isRefused ? { outcome: 'refused', message: error.message } : { outcome: 'unknown' };
  }
}

/** Returns the id of the file. A file that is uploaded again and not used has no effect. */
async function upload(client: Stripe, { bytes, name }: EvidenceFile): Promise<string> {
  const file = { data: bytes, name, type: 'application/pdf' };
  const { id } = await client.files.create({ purpose: 'dispute_evidence', file });
  return id;
}
