/** One charge, of a subscription’s cycle or of a payment, and what became of it. */

/**
 * One charge of one billing cycle. Cycle 1 is the first period; attempts count from 1 in each cycle. `amountMinor` counts
 * when the charge is first made; absent: the price, and in cycle 1 the setup fee.
 */
export interface CycleCharge {
  subscriptionId: number;
  cycle: number;
  attempt: number;
  amountMinor?: number;
  /** When it is made; absent: now. */
  atMs?: number;
  /** Somebody waits for the outcome: a card that asks for an authentication is refused, and nobody is sent there. */
  mustSettle?: true;
}

/** The one charge of a payment: what its row says is to be paid. */
export interface PaymentCharge {
  paymentId: number;
}

export type ChargeInput = CycleCharge | PaymentCharge;

/** `isLast`: a provider that does not answer is asked no more; the charge counts as declined. */
export type VoidInput = ChargeInput & { isLast?: true };

export type ChargeOutcome =
  | { outcome: 'paid' }
  /** `holdsVoucher`: others wait for the voucher's use meanwhile. */
  | { outcome: 'requires_action'; holdsVoucher?: true }
  | { outcome: 'declined'; reason: string; message: string; decline?: 'soft' | 'hard' | 'later' }
  /** The provider never charged: the same charge may be sent again. */
  | { outcome: 'not_sent' }
  /** Nobody knows yet: look it up before anything else. */
  | { outcome: 'unknown' };

/** The payer, or the provider's page, has answered an authentication: look the charge up. */
export const paymentAnsweredSignal = 'paymentAnswered';

/** What a round of the reconciliation found: charges and refunds that need a person, and charges that it gave back. */
export interface Reconciled {
  lookedUp: number;
  different: string[];
  /** Absent in what older code answered. */
  returned?: string[];
}
