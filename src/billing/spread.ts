/**
 * Half of the time for which access continues after a period. The other half is a reserve for a slow provider or a lost
 * worker.
 */
export const renewalSpreadMs = 30 * 60_000;

/** Spreads consecutive ids evenly (Knuth's multiplicative hash). */
const multiplier = 2_654_435_761;

/**
 * The delay of a subscription's renewal after its period ends, so that renewals of the same minute are spread. The
 * delay is the same in every period, and the dates of the periods do not change.
 */
export function renewalDelayMs(subscriptionId: number): number {
  return Math.floor(((Math.imul(subscriptionId, multiplier) >>> 0) / 2 ** 32) * renewalSpreadMs);
}
