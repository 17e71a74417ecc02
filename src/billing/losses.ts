import { share } from './shares';

/**
 * The money of a payment goes back to the payer while a credit from this payment is in use. The part of a period that the credit
 * has paid then counts as unpaid, so that a plan change gives no credit for it. Without I/O.
 */

/** The part of a refund at the provider that no period of its own charge has lost yet: at most the used credit. */
export function lossOfRefund(refund: {
  amountMinor: number;
  creditMinor: number;
  excessMinor: number;
  /** What the period of the refund's own charge has lost. */
  loweredMinor: number;
  /** The used credit that was taken from the balance, because a declined charge has returned it. */
  takenMinor: number;
}): number {
  const { amountMinor, creditMinor, excessMinor, loweredMinor, takenMinor } = refund;
  return Math.max(0, Math.min(excessMinor, amountMinor - creditMinor - loweredMinor) - takenMinor);
}

/** What a dispute has changed so far. */
export interface DisputeSoFar {
  /** The disputed money that is still there. */
  disputedMinor: number;
  /** What the period of the disputed charge has lost. */
  loweredMinor: number;
  /** What other periods have lost, because they use its credit. */
  lostMinor: number;
  /** The credit that was taken back. */
  takenMinor: number;
}

/** The credit that a dispute may still take back. The dispute takes no money twice, and at most what the bank has taken. */
export function creditOfDispute(
  { disputedMinor, loweredMinor, lostMinor, takenMinor }: DisputeSoFar,
  creditedMinor: number,
): number {
  return Math.max(0, Math.min(creditedMinor, disputedMinor - loweredMinor - takenMinor) - lostMinor);
}

/** A charge that the balance has paid in part. */
export interface BalancePaid {
  /** The part that the balance has paid, less what is lost already. */
  leftMinor: number;
  /** The running period that the charge has paid, and its paid amount. Absent while no period is recorded for the charge. */
  period?: { id: number; paidMinor: number } | undefined;
}

/** Divides a loss among the charges in their order. No period loses more than its paid amount. */
export function divideLoss(lossMinor: number, charges: readonly BalancePaid[]): number[] {
  const paid = new Map(charges.flatMap(({ period }) => (period ? [[period.id, period.paidMinor] as const] : [])));
  let restMinor = lossMinor;
  return charges.map(({ leftMinor, period }) => {
    const paidMinor = period ? (paid.get(period.id) ?? 0) : Infinity;
    const partMinor = Math.max(0, Math.min(restMinor, leftMinor, paidMinor));
    if (period) paid.set(period.id, paidMinor - partMinor);
    restMinor -= partMinor;
    return partMinor;
  });
}

/** The paid amount of a period after a loss. */
export const paidLess = (paidMinor: number, lostMinor: number): number => Math.max(0, paidMinor - lostMinor);

/**
 * Divides an amount among losses in proportion to them. The parts are whole and add up to the amount, which is at most the sum
 * of the losses. No part exceeds its loss.
 */
export function shareOut(amountMinor: number, losses: readonly number[]): number[] {
  const sumMinor = losses.reduce((sum, loss) => sum + loss, 0);
  let beforeMinor = 0;
  let sharedMinor = 0;
  return losses.map((loss) => {
    beforeMinor += loss;
    const untilMinor = share(amountMinor, beforeMinor, sumMinor);
    const partMinor = untilMinor - sharedMinor;
    sharedMinor = untilMinor;
    return partMinor;
  });
}
