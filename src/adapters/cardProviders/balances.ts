/** The movements of money in a payment account, as the provider's own books show them. */

/**
 * `refund_failure`: a refund came back. `dispute_won`: the bank has returned the money of a dispute. `fee`: a fee that belongs
 * to no payment. `payout`: money that goes to the bank account of the merchant. `payout_failure`: a payout came back, because
 * it failed or was cancelled.
 */
export const balanceKinds = [
  'charge',
  'refund',
  'refund_failure',
  'dispute',
  'dispute_won',
  'fee',
  'payout',
  'payout_failure',
] as const;

export interface BalanceTransaction {
  /** The provider's id of the movement. */
  reference: string;
  kind: (typeof balanceKinds)[number];
  /** The reference of the charge, as in `ChargeResult`; empty for a fee and a payout. */
  chargeReference: string;
  /** The provider's id of the refund, the dispute or the payout; otherwise empty. */
  objectReference: string;
  /** Our key of the charge, if the provider stores it with the movement. */
  idempotencyKey?: string;
  /**
   * In the minor unit of the currency of the payment. Above zero, except for a payout that takes money from the bank account
   * and its failure.
   */
  amountMinor: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** What the provider took for it, in the currency of the account. Negative if the provider returned a fee. */
  feeMinor: number;
  feeCurrency: string;
  /** In real time. */
  at: Date;
}
