import { runSource } from '../adapters/runs';
import { checkRowSignal, paymentWorkflowId, refundWorkflowId, subscriptionWorkflowId } from '../../workflows/messages';
import { formatAmount } from '../billing/money';

/** The sources from which missing runs of subscriptions, payments and refunds are found and started. */

interface SubscriptionToRun extends PlanTerms {
  id: number;
  token: string;
  merchantId: number;
  state: string;
}

/** A revoked subscription needs a run until its period is over, because it may be restored. */
export const subscriptionRuns = runSource<SubscriptionToRun>({
  workflow: 'subscription',
  table: 'subscriptions',
  idPrefix: subscriptionWorkflowId(''),
  columns: `r.id, r.token, r.merchant_id AS "merchantId", r.item_id AS "itemId", r.state, r.price_minor AS "priceMinor",
    r.currency, r.period_quantity AS "periodQuantity", r.period`,
  needsRun: `r.state IN ('incomplete', 'trialing', 'active', 'past_due', 'on_hold', 'paused', 'revoked')
    AND (r.state <> 'revoked' OR r.current_period_end > merchant_now(r.merchant_id))`,
  dueAt: 'r.next_due_at',
  clock: 'merchant',
  runOf: (row) => {
    const { id: subscriptionId, merchantId, itemId, state } = row;
    return {
      workflowId: subscriptionWorkflowId(row.token),
      input: { subscriptionId },
      labels: { merchantId, itemId, state, requestId: '', summary: summaryOf(row) },
    };
  },
  lateSignal: checkRowSignal,
});

interface PlanTerms {
  itemId: number;
  priceMinor: number;
  currency: string;
  periodQuantity: number;
  period: string;
}

/** The summary of a subscription's run, for the operator in Temporal. */
export function summaryOf({ itemId, priceMinor, currency, periodQuantity, period }: PlanTerms): string {
  return `${formatAmount(priceMinor, currency)} every ${periodQuantity} ${period}, item ${itemId}`;
}

interface PaymentToRun {
  id: number;
  token: string;
  merchantId: number;
  itemId: number;
  state: string;
  chargedMinor: number;
  currency: string;
}

export const paymentRuns = runSource<PaymentToRun>({
  workflow: 'payment',
  table: 'payments',
  idPrefix: paymentWorkflowId(''),
  columns: `r.id, r.token, r.merchant_id AS "merchantId", r.item_id AS "itemId", r.state,
    r.charged_minor AS "chargedMinor", r.currency`,
  needsRun: `r.state = 'incomplete'`,
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ id: paymentId, token, merchantId, itemId, state, chargedMinor, currency }) => ({
    workflowId: paymentWorkflowId(token),
    input: { paymentId },
    labels: {
      merchantId,
      itemId,
      state,
      requestId: '',
      summary: `${formatAmount(chargedMinor, currency)} once, item ${itemId}`,
    },
  }),
});

interface RefundToRun {
  id: number;
  token: string;
  merchantId: number;
  state: string;
  amountMinor: number;
  currency: string;
}

export const refundRuns = runSource<RefundToRun>({
  workflow: 'refund',
  table: 'refunds',
  idPrefix: refundWorkflowId(''),
  columns: `r.id, r.token, r.merchant_id AS "merchantId", r.state, r.amount_minor AS "amountMinor", r.currency`,
  needsRun: `r.state IN ('open', 'pending')`,
  dueAt: 'r.next_due_at',
  clock: 'real',
  runOf: ({ id: refundId, token, merchantId, state, amountMinor, currency }) => ({
    workflowId: refundWorkflowId(token),
    input: { refundId },
    labels: { merchantId, state, requestId: '', summary: `${formatAmount(amountMinor, currency)} back` },
  }),
});
