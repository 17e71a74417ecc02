import { type Transaction } from '../../adapters/postgres/connection';
import { lossOfRefund } from '../../billing/losses';
import { lockPeriods, loseOwn, spreadLoss, undoLosses } from '../refunds/losses';
import { readDispute } from '../refunds/lostCredits.model';
import { getChargeOf } from '../refunds/refunds.model';
import { followDispute, undoDispute } from '../refunds/reserves';
import { Dispute } from './disputes.model';

/** The credit and the paid periods of a charge that the payer's bank has taken back. They follow in the same transaction. */

/**
 * Takes the unused credit of the charge back. The first report of a dispute lowers the paid periods as well, so that a plan
 * change gives no credit for the money, even before the subscription's run has ended the access.
 */
export async function takeDisputed(id: number, isFirst: boolean, inTransaction: Transaction): Promise<void> {
  const { chargeId } = await getLocked(id, inTransaction);
  const soFar = await readDispute(id, inTransaction);
  const creditMinor = await followDispute(soFar, inTransaction);
  if (!isFirst) return;
  const amountMinor = soFar.disputedMinor - creditMinor;
  const loweredMinor = await loseOwn({ disputeId: id }, chargeId, amountMinor, inTransaction);
  const { creditedMinor: excessMinor } = await getChargeOf({ chargeId }, inTransaction);
  const lossMinor = lossOfRefund({ amountMinor, creditMinor: 0, excessMinor, loweredMinor, takenMinor: 0 });
  await spreadLoss({ disputeId: id }, chargeId, lossMinor, inTransaction);
}

/** The merchant has won the dispute: the credit is restored, and what periods have lost. */
export async function returnDisputed(id: number, inTransaction: Transaction): Promise<void> {
  const { chargeId, reference } = await getLocked(id, inTransaction);
  await undoDispute(chargeId, reference, inTransaction);
  await undoLosses({ disputeId: id }, inTransaction);
}

/** The dispute. The periods of its customer are locked before the charge and the balance. */
async function getLocked(id: number, inTransaction: Transaction): Promise<Dispute> {
  const dispute = await Dispute.findByPk(id, { rejectOnEmpty: true, transaction: inTransaction });
  await lockPeriods(dispute.chargeId, inTransaction);
  return dispute;
}
