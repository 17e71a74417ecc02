/** One-time payments and refunds. */

export interface PaymentInput {
  /** The id of the payment's row. */
  paymentId: number;
}

export const paymentWorkflowId = (token: string) => `payment-${token}`;

/** The final state of the payment's row. */
export interface PaymentResult {
  state: 'paid' | 'failed';
}

export interface PaymentFailureInput {
  paymentId: number;
  reason: string;
  message: string;
}

/** Gives up a pending authentication, because the payer starts again. The answer is the outcome of the payment. */
export const giveUpPaymentUpdate = 'giveUp';

export interface RefundInput {
  /** The id of the refund's row. */
  refundId: number;
}

export const refundWorkflowId = (token: string) => `refund-${token}`;

/** The final state of the refund's row. */
export interface RefundResult {
  state: 'refunded' | 'failed';
}

export type RefundOutcome =
  | { outcome: 'refunded' }
  | { outcome: 'refused'; message: string }
  /** The provider has accepted the refund, and the bank decides within days. */
  | { outcome: 'pending' }
  /** The provider refunded nothing: the same refund may be sent again. */
  | { outcome: 'not_sent' }
  /** The outcome must be looked up before anything else. */
  | { outcome: 'unknown' };
