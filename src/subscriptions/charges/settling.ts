import { beginDeclines, countCharge, countDecline, type CountedOutcome } from '../../adapters/processMetrics';
import { declineReasons } from '../../adapters/cardProviders/provider';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { onCommit } from '../../adapters/postgres/requestWork';
import { issueInvoice } from '../../invoices/issuing';
import { lockCreditSources, takeLostCredit } from '../refunds/lostCredits';
import { ownReasons, settleCharge, type Settlement } from './charges.model';
import { type OpenedCharge } from './opening.model';

/** Saves the end of a charge. A paid charge with a tax gets its invoice in the same transaction. */
export function saveSettlement(charge: OpenedCharge, to: Settlement): ReturnType<typeof settleCharge> {
  if (to.status !== 'paid' || !charge.hasTax) return settleAndCount(charge, to);
  return transaction(async (inTransaction) => {
    const after = await settleAndCount(charge, to, inTransaction);
    if (after.isWritten) await issueInvoice(charge.id, inTransaction);
    return after;
  });
}

/** Writes the new state of a charge. After the commit the metrics count it, unless a look-up found the state that it had. */
export async function settleAndCount(
  charge: OpenedCharge,
  to: Settlement,
  inTransaction?: Transaction,
): ReturnType<typeof settleCharge> {
  const after = await (to.status === 'declined' ? decline : settleCharge)(charge, to, inTransaction);
  if (after.isWritten && to.status !== charge.status && charge.amountMinor > 0)
    onCommit(inTransaction, () => count(charge, to));
  return after;
}

/**
 * A declined charge returns the credit that it has used. The credit of a charge that was disputed or refunded meanwhile does
 * not stay with the customer.
 */
function decline(charge: OpenedCharge, to: Settlement, given?: Transaction): ReturnType<typeof settleCharge> {
  const work = async (inTransaction: Transaction) => {
    const sources = await lockCreditSources(charge, inTransaction);
    const after = await settleCharge(charge, to, inTransaction);
    if (after.isWritten && sources.length > 0) await takeLostCredit(charge, sources, inTransaction);
    return after;
  };
  return given ? work(given) : transaction(work);
}

const own: ReadonlySet<string> = new Set(ownReasons);
const known: ReadonlySet<string> = new Set([...ownReasons, ...declineReasons]);
beginDeclines([...known, 'other']);

function count({ isRenewal }: OpenedCharge, { status, declineReason, declineClass }: Settlement): void {
  const kind = isRenewal ? 'renewal' : 'purchase';
  const reason = declineReason ?? 'declined';
  if (status !== 'open') countCharge(kind, outcomeOf(status, reason));
  if (status === 'declined') countDecline(kind, declineClass ?? 'soft', known.has(reason) ? reason : 'other');
}

function outcomeOf(status: Exclude<Settlement['status'], 'open'>, reason: string): CountedOutcome {
  return status === 'declined' && own.has(reason) ? 'refused' : status;
}
