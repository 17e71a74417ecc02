import { transaction } from '../../adapters/postgres/connection';
import { issueInvoice } from '../../invoices/issuing';
import { settleCharge, type Settlement } from './charges.model';
import { type OpenedCharge } from './opening.model';

/** Saves the end of a charge. A paid charge with a tax gets its invoice in the same transaction. */
export function saveSettlement(charge: OpenedCharge, to: Settlement): ReturnType<typeof settleCharge> {
  if (to.status !== 'paid' || !charge.hasTax) return settleCharge(charge, to);
  return transaction(async (inTransaction) => {
    const after = await settleCharge(charge, to, inTransaction);
    if (after.isWritten) await issueInvoice(charge.id, inTransaction);
    return after;
  });
}
