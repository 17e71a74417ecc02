import { type Transaction } from '../../adapters/postgres/connection';
import { sumMovements } from '../balances/balances';
import { deleteLosses, lockSubscriptions } from './losses.model';
import { listCreditedCharges, listDisputes, listExcesses } from './lostCredits.model';
import { lockMoney } from './refunds.model';
import { followDispute, followExcess } from './reserves';

/**
 * A dispute, or a refund that was made at the provider, takes back the credit of its charge. While an open charge uses the
 * credit, there is nothing to take back. If that charge is then declined, the credit is returned to the balance although its
 * money is gone.
 */

/** A charge that may be declined. */
interface OpenCharge {
  id: number;
  accountId: number;
  currency: string;
}

/**
 * Locks the subscriptions of the customer, then the charges whose credit an open charge may use. Returns the ids of these
 * charges. It runs before the decline, because every transaction locks charges before the balance. A dispute or a refund that
 * is reported at the same time waits for this lock, or is visible afterwards.
 */
export async function lockCreditSources(charge: OpenCharge, inTransaction: Transaction): Promise<number[]> {
  const sources = await listCreditedCharges(charge, inTransaction);
  if (sources.length > 0) await lockSubscriptions(charge.id, inTransaction);
  for (const chargeId of sources) await lockMoney(chargeId, inTransaction);
  return sources;
}

/**
 * Takes back the credit of charges that were disputed or refunded meanwhile, up to the amount that the declined charge has
 * returned.
 */
export async function takeLostCredit(
  { id }: OpenCharge,
  sources: readonly number[],
  inTransaction: Transaction,
): Promise<void> {
  await deleteLosses(id, inTransaction);
  let returnedMinor = await sumMovements(inTransaction, id, ['charge_declined']);
  for (const dispute of await listDisputes(sources, id, inTransaction))
    if (returnedMinor > 0) returnedMinor -= await followDispute(dispute, inTransaction, returnedMinor);
  for (const excess of await listExcesses(sources, id, inTransaction))
    if (returnedMinor > 0) returnedMinor -= await followExcess(excess, id, inTransaction, returnedMinor);
}
