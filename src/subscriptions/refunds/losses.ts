import { type Transaction } from '../../adapters/postgres/connection';
import { divideLoss, paidLess, shareOut } from '../../billing/losses';
import { moveBalance } from '../balances/balances';
import {
  creditCharge,
  divideLosses,
  findOwn,
  insertLoss,
  listOfCharge,
  listOfPeriod,
  listUsing,
  lockPeriods,
  undo,
  type Loss,
  type LosingCharge,
  type LossCause,
  type WithheldCredit,
} from './losses.model';

/**
 * Money of a charge has gone back to the payer. The period of the charge loses it, and so do the periods that the balance has
 * paid with its credit. Each loss is a row that names its cause, and is undone with it: the refund fails, or the dispute is won.
 */

export { lockPeriods };

/** The period of the charge itself loses an amount, and at most its paid amount. Returns the lost part. The charge is locked. */
export async function loseOwn(
  cause: LossCause,
  chargeId: number,
  lossMinor: number,
  inTransaction: Transaction,
): Promise<number> {
  const charge = await findOwn(chargeId, inTransaction);
  if (!charge) return 0;
  const amountMinor = charge.isOfPeriod ? Math.min(lossMinor, charge.paidMinor ?? 0) : lossMinor;
  if (amountMinor > 0) await insertLoss(cause, charge, { part: 'own', amountMinor }, inTransaction);
  return amountMinor;
}

/** Divides a loss among the customer's charges that use the balance, newest first. `lockPeriods` was called before. */
export async function spreadLoss(
  cause: LossCause,
  chargeId: number,
  lossMinor: number,
  inTransaction: Transaction,
): Promise<void> {
  if (lossMinor <= 0) return;
  const charges = await listUsing(chargeId, inTransaction);
  const parts = divideLoss(lossMinor, charges.map(roomOf));
  for (const [index, charge] of charges.entries()) {
    const amountMinor = parts[index] ?? 0;
    if (amountMinor > 0) await insertLoss(cause, charge, { part: 'balance', amountMinor }, inTransaction);
  }
}

function roomOf({ leftMinor, isOfPeriod, subscriptionId, paidMinor }: LosingCharge) {
  if (!isOfPeriod || subscriptionId === null) return { leftMinor };
  return { leftMinor, period: { id: subscriptionId, paidMinor: paidMinor ?? 0 } };
}

/**
 * The cause is undone: present periods get their paid amount back, and the balance the credit that the customer did not get.
 * `lockPeriods` was called before.
 */
export async function undoLosses(cause: LossCause, inTransaction: Transaction): Promise<void> {
  for (const credit of await undo(cause, inTransaction)) await restoreCredit(credit, inTransaction);
}

async function restoreCredit(credit: WithheldCredit, inTransaction: Transaction): Promise<void> {
  const { id, chargeId, withheldMinor: amountMinor } = credit;
  if (credit.isUnused) {
    const cause = `declined:${chargeId}:${id}`;
    await moveBalance(inTransaction, credit, { reason: 'charge_declined', cause, chargeId, amountMinor });
    return;
  }
  const { subscriptionId } = credit;
  const about = { reason: 'plan_change', ...(subscriptionId !== null && { subscriptionId }) } as const;
  const ofCharge = await creditCharge(chargeId, amountMinor, inTransaction);
  const cause = `withheld:${id}`;
  await moveBalance(inTransaction, credit, {
    ...about,
    amountMinor: ofCharge,
    cause: `${cause}:${chargeId}`,
    chargeId,
  });
  await moveBalance(inTransaction, credit, { ...about, amountMinor: amountMinor - ofCharge, cause });
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
  if (charge.lostMinor > paidMinor) {
    const losses = await listOfCharge(charge.id, inTransaction);
    await keepLosses(losses, { unpaidMinor: paidMinor, withheldMinor: 0 }, inTransaction);
  }
  return paidLess(paidMinor, charge.lostMinor);
}

/** The losses of the present period of a subscription, and their sum. The subscription is locked. */
export async function readPeriodLosses(subscriptionId: number, inTransaction: Transaction) {
  const losses = await listOfPeriod(subscriptionId, inTransaction);
  return { losses, lostMinor: losses.reduce((sum, { unpaidMinor }) => sum + unpaidMinor, 0) };
}

/** What is left of losses: the part by which the period counts as unpaid, and credit that the customer does not get. */
export async function keepLosses(
  losses: readonly Loss[],
  { unpaidMinor, withheldMinor }: { unpaidMinor: number; withheldMinor: number },
  inTransaction: Transaction,
): Promise<void> {
  if (losses.length === 0) return;
  const parts = shareOut(
    unpaidMinor + withheldMinor,
    losses.map((loss) => loss.unpaidMinor),
  );
  const withheld = shareOut(withheldMinor, parts);
  const unpaid = parts.map((part, index) => part - (withheld[index] ?? 0));
  await divideLosses(losses, { unpaid, withheld }, inTransaction);
}
