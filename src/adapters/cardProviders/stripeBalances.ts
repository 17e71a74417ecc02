import type Stripe from 'stripe';
import { type BalanceTransaction } from './balances';
import { type NotifiedDispute } from './notifications';
import { fromStripeAmount } from './stripeAmounts';
import { disputeOf } from './stripeDisputes';

const kinds: Readonly<Record<string, BalanceTransaction['kind']>> = {
  charge: 'charge',
  refund: 'refund',
  partial_capture_reversal: 'refund',
  refund_failure: 'refund_failure',
  dispute: 'dispute',
  dispute_reversal: 'dispute_won',
  fee: 'fee',
  payout: 'payout',
  payout_reversal: 'payout_failure',
  topup: 'payout',
  topup_reversal: 'payout_failure',
};

/** Other categories, such as transfers to other accounts, are left out. `keyName`: our key in Stripe's metadata. */
export async function* listStripeBalance(
  client: Stripe,
  since: Date,
  keyName: string,
): AsyncGenerator<BalanceTransaction> {
  const gte = Math.floor(since.getTime() / 1000);
  const list = client.balanceTransactions.list({ created: { gte }, limit: 100, expand: ['data.source'] });
  for await (const one of list) {
    const read = transactionOf(one, keyName);
    if (read) yield read;
  }
}

/** The object of a movement: a charge, a refund, a dispute or a payout. */
interface Source {
  id: string;
  amount: number;
  currency: string;
  payment_intent?: string | { id: string } | null;
  metadata?: Record<string, string> | null;
}

function transactionOf(one: Stripe.BalanceTransaction, keyName: string): BalanceTransaction | undefined {
  const kind = kinds[one.reporting_category];
  if (!kind) return undefined;
  const feeCurrency = one.currency.toUpperCase();
  const about = { reference: one.id, kind, at: new Date(one.created * 1000), feeCurrency };
  if (kind === 'fee') {
    const amountMinor = fromStripeAmount(0 - one.net, feeCurrency);
    const none = { chargeReference: '', objectReference: '' };
    return { ...about, ...none, amountMinor, currency: feeCurrency, feeMinor: amountMinor };
  }
  const source = one.source as Source | string | null;
  if (kind === 'payout' || kind === 'payout_failure') {
    const amountMinor = fromStripeAmount(kind === 'payout' ? 0 - one.amount : one.amount, feeCurrency);
    const objectReference = typeof source === 'string' ? source : (source?.id ?? '');
    const feeMinor = fromStripeAmount(one.fee, feeCurrency);
    return { ...about, chargeReference: '', objectReference, amountMinor, currency: feeCurrency, feeMinor };
  }
  if (source === null || typeof source === 'string') return undefined;
  const { payment_intent: intent, metadata } = source;
  const currency = source.currency.toUpperCase();
  const idempotencyKey = metadata?.[keyName];
  return {
    ...about,
    chargeReference: (typeof intent === 'string' ? intent : intent?.id) ?? '',
    objectReference: kind === 'charge' ? '' : source.id,
    ...(kind === 'charge' && idempotencyKey !== undefined && { idempotencyKey }),
    amountMinor: fromStripeAmount(source.amount, currency),
    currency,
    feeMinor: fromStripeAmount(one.fee, feeCurrency),
  };
}

/** The state has the time of the request, in whole seconds as notifications have it. A later decision is never older. */
export async function readStripeDispute(client: Stripe, reference: string): Promise<NotifiedDispute> {
  const at = new Date(Math.floor(Date.now() / 1000) * 1000);
  const dispute = await client.disputes.retrieve(reference);
  return { reference, ...disputeOf(dispute, at) };
}
