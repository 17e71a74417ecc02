import { type Transaction } from '../../adapters/postgres/connection';
import { countMovements, lockBalance, moveBalance } from '../balances/balances';
import { creditLeft, refundableMinor, takeBack } from '../../billing/dues';
import { creditOfDispute } from '../../billing/losses';
import { markUnused } from './losses.model';
import { readDisputeTaken, readExcessTaken, type RefundExcess, type StandingDispute } from './lostCredits.model';
import { keepMoney, lockMoney, type Refund, type RefundableCharge } from './refunds.model';

/** The reservation of a refund: its part of the charge, and the credit that it takes back first. */
export interface SetAside {
  /** The charge with the refund included. */
  charge: RefundableCharge;
  creditMinor: number;
  excessMinor: number;
}

/** Reserves a refund. Undefined if it exceeds the refundable amount. Concurrent refunds are counted. */
export async function setAside(
  chargeId: number,
  amountMinor: number,
  inTransaction: Transaction,
): Promise<SetAside | undefined> {
  const charge = await lockMoney(chargeId, inTransaction);
  const balanceMinor = await lockBalance(inTransaction, charge);
  if (amountMinor > refundableMinor(charge, balanceMinor)) return undefined;
  return takePart(charge, amountMinor, balanceMinor, inTransaction);
}

/**
 * Reserves a refund that the provider has already paid. A credit that the customer has used does not limit it.
 * Undefined if all reserved refunds together would exceed the charge.
 */
export async function followPaidBack(
  chargeId: number,
  amountMinor: number,
  inTransaction: Transaction,
): Promise<SetAside | undefined> {
  const charge = await lockMoney(chargeId, inTransaction);
  if (charge.refundedMinor + amountMinor > charge.amountMinor) return undefined;
  return takePart(charge, amountMinor, await lockBalance(inTransaction, charge), inTransaction);
}

async function takePart(
  charge: RefundableCharge,
  amountMinor: number,
  balanceMinor: number,
  inTransaction: Transaction,
): Promise<SetAside> {
  const { creditMinor, excessMinor, ...money } = takeBack(charge, amountMinor, balanceMinor);
  const after = { ...charge, ...money };
  await keepMoney(after, inTransaction);
  return { charge: after, creditMinor, excessMinor };
}

/** Takes the credit back when the refund is requested, so that no charge uses it in the meantime. */
export async function takeCreditBack(refund: Refund, inTransaction: Transaction): Promise<void> {
  await moveBalance(inTransaction, refund, { ...movementOf(refund, 'refund'), amountMinor: 0 - refund.creditMinor });
}

/**
 * What a charge has paid for does not begin. Returns to the balance the part that it paid, less what was lost since. A lost part
 * comes back when its loss is undone. The charge is locked.
 */
export async function returnPart(charge: RefundableCharge, inTransaction: Transaction): Promise<void> {
  const { id: chargeId, balanceMinor } = charge;
  const lostMinor = await markUnused(chargeId, inTransaction);
  await moveBalance(inTransaction, charge, {
    reason: 'charge_declined',
    cause: `declined:${chargeId}`,
    chargeId,
    amountMinor: balanceMinor - lostMinor,
  });
}

/** The refund has failed: its part of the charge and the credit are restored. */
export async function release(refund: Refund, inTransaction: Transaction): Promise<void> {
  const charge = await lockMoney(refund.chargeId, inTransaction);
  const refundedMinor = charge.refundedMinor - refund.amountMinor;
  const creditedMinor = Math.min(
    charge.creditedMinor + refund.creditMinor + refund.excessMinor,
    charge.amountMinor - refundedMinor,
  );
  await keepMoney({ ...charge, refundedMinor, creditedMinor }, inTransaction);
  const movement = { ...movementOf(refund, 'refund_failed'), amountMinor: refund.creditMinor };
  await moveBalance(inTransaction, refund, movement);
  const amountMinor = await readExcessTaken(refund.id, inTransaction);
  await moveBalance(inTransaction, refund, { ...excessOf(refund, 'failed'), amountMinor });
}

/**
 * Takes back credit that a declined charge has returned, if its money was refunded meanwhile, up to a maximum. Returns this
 * part. The charge of the refund is locked.
 */
export async function followExcess(
  excess: RefundExcess,
  openChargeId: number,
  inTransaction: Transaction,
  maxMinor: number,
): Promise<number> {
  const balanceMinor = await lockBalance(inTransaction, excess);
  const amountMinor = Math.min(maxMinor, excess.leftMinor, Math.max(0, balanceMinor));
  await moveBalance(inTransaction, excess, { ...excessOf(excess, openChargeId), amountMinor: 0 - amountMinor });
  return amountMinor;
}

/**
 * The payer's bank has reversed a charge. The unused part of its credit is taken back, up to a maximum. Returns this part. A
 * later report of the same dispute takes back what has become unused since.
 */
export async function followDispute(
  dispute: StandingDispute,
  inTransaction: Transaction,
  maxMinor = Infinity,
): Promise<number> {
  const { chargeId, reference } = dispute;
  const charge = await lockMoney(chargeId, inTransaction);
  const creditedMinor = creditOfDispute(dispute, charge.creditedMinor);
  const creditMinor = Math.min(maxMinor, creditLeft({ creditedMinor }, await lockBalance(inTransaction, charge)));
  await keepMoney({ ...charge, creditedMinor: charge.creditedMinor - creditMinor }, inTransaction);
  const cause = `dispute:${chargeId}:${reference}:${await countReversals(inTransaction, chargeId)}`;
  await moveBalance(inTransaction, charge, { reason: 'dispute', cause, chargeId, amountMinor: 0 - creditMinor });
  return creditMinor;
}

/** The merchant has won the dispute: the credit is restored. */
export async function undoDispute(chargeId: number, reference: string, inTransaction: Transaction): Promise<void> {
  const charge = await lockMoney(chargeId, inTransaction);
  const creditMinor = await readDisputeTaken(chargeId, reference, inTransaction);
  if (creditMinor === 0) return;
  await keepMoney({ ...charge, creditedMinor: charge.creditedMinor + creditMinor }, inTransaction);
  const cause = `dispute_won:${chargeId}:${reference}:${await countReversals(inTransaction, chargeId)}`;
  await moveBalance(inTransaction, charge, { reason: 'dispute_won', cause, chargeId, amountMinor: creditMinor });
}

/** A bank can decide more than once, so each reversal of a credit has a number. The charge is locked. */
const reversals = ['dispute', 'dispute_won'] as const;
const countReversals = (inTransaction: Transaction, chargeId: number) =>
  countMovements(inTransaction, chargeId, reversals);

/** A movement of credit that a refund has paid out. `step`: what moves it, once. */
function excessOf({ id, token, chargeId }: Pick<Refund, 'id' | 'token' | 'chargeId'>, step: number | 'failed') {
  return { reason: 'refund_credit', cause: `refund_credit:${token}:${step}`, chargeId, refundId: id } as const;
}

function movementOf({ id, token, chargeId }: Refund, reason: 'refund' | 'refund_failed') {
  return { reason, cause: `${reason}:${token}`, chargeId, refundId: id };
}
