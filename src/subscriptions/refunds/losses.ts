import { type Transaction } from '../../adapters/postgres/connection';
import { divideLoss, paidLess } from '../../billing/losses';
import { limitLost, listLost, listUsing, lose, lockPeriods, type UsingCharge } from './losses.model';

/**
 * Money of a charge has gone back while its credit was in use. The periods that the balance has paid lose this amount, and
 * get it again if the refund fails or the dispute is won.
 */

export { lockPeriods };

/** Divides a loss among the customer's charges, newest first. Returns the divided part. `lockPeriods` was called before. */
export async function spreadLoss(chargeId: number, lossMinor: number, inTransaction: Transaction): Promise<number> {
  if (lossMinor <= 0) return 0;
  const charges = await listUsing(chargeId, inTransaction);
  const parts = divideLoss(lossMinor, charges.map(roomOf));
  return apply(charges, parts, inTransaction);
}

function roomOf({ leftMinor, isRunning, subscriptionId, paidMinor }: UsingCharge) {
  if (!isRunning || subscriptionId === null) return { leftMinor };
  return { leftMinor, period: { id: subscriptionId, paidMinor: paidMinor ?? 0 } };
}

/** Gives a loss back, newest charge first. */
export async function giveLossBack(chargeId: number, lostMinor: number, inTransaction: Transaction): Promise<void> {
  if (lostMinor <= 0) return;
  const charges = await listLost(chargeId, inTransaction);
  const parts = divideLoss(
    lostMinor,
    charges.map(({ lostMinor: leftMinor }) => ({ leftMinor })),
  );
  await apply(
    charges,
    parts.map((part) => 0 - part),
    inTransaction,
  );
}

/**
 * The paid amount of a period that begins, less what its charge has lost. From then on, the loss of the charge is at most the
 * paid amount, so that a won dispute gives no more back.
 */
export async function startPaid(
  paidMinor: number,
  charge: { id: number; lostMinor: number } | undefined,
  inTransaction: Transaction,
): Promise<number> {
  if (!charge) return paidMinor;
  if (charge.lostMinor > paidMinor) await limitLost(charge.id, paidMinor, inTransaction);
  return paidLess(paidMinor, charge.lostMinor);
}

async function apply(charges: readonly UsingCharge[], parts: readonly number[], inTransaction: Transaction) {
  let sum = 0;
  for (const [index, charge] of charges.entries()) {
    const part = parts[index] ?? 0;
    if (part === 0) continue;
    await lose(charge, part, inTransaction);
    sum += part;
  }
  return sum;
}
