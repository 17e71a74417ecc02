/** One-time payments, and money that goes back. */

export interface PaymentInput {
  /** The row's id. */
  paymentId: number;
}

export const paymentWorkflowId = (token: string) => `payment-${token}`;

/** How a payment's workflow ended: the row's final state. */
export interface PaymentResult {
  state: 'paid' | 'failed';
}

export interface PaymentFailureInput {
  paymentId: number;
  reason: string;
  message: string;
}

/** The payer of a payment starts anew: an authentication that nobody has answered is given up. Answers how it ended. */
export const giveUpPaymentUpdate = 'giveUp';

export interface RefundInput {
  /** The row's id. */
  refundId: number;
}

export const refundWorkflowId = (token: string) => `refund-${token}`;

/** How a refund's workflow ended: the row's final state. */
export interface RefundResult {
  state: 'refunded' | 'failed';
}

export type RefundOutcome =
  | { outcome: 'refunded' }
  | { outcome: 'refused'; message: string }
  /** The provider gave nothing back: the same refund may be sent again. */
  | { outcome: 'not_sent' }
  /** Nobody knows yet: look it up before anything else. */
  | { outcome: 'unknown' };
