import { type Transaction } from '../../adapters/postgres/connection';
import {
  insertMovement,
  movementKinds,
  selectMovements,
  sumMovements,
  type LedgerFilter,
  type MovementKind,
  type MovementRow,
} from './model';

export { movementKinds, type LedgerFilter, type MovementKind, type MovementRow };

/** The ledger of what subscriptions bring in a month: it only grows, and each amount of a report is a sum of its lines. */

/** A subscription after a step of its life, as its row is by then. */
export interface Step {
  row: { id: number; state: string };
  /** Whether it counts, and what it brings in a month. */
  counts: boolean;
  mrrMinor: number;
  /** Of the transition. */
  sequence: number;
  reason: string;
  /** The merchant's time. */
  at: Date;
}

/** Writes how a step changes what the subscription brings; nothing where it does not. In the step's own transaction. */
export function recordMovement(inTransaction: Transaction, step: Step): Promise<void> {
  const { row, counts, mrrMinor, sequence, reason, at } = step;
  const isPaymentChurn = row.state === 'on_hold' || row.state === 'expired' || reason === 'chargeback';
  return insertMovement(inTransaction, {
    subscriptionId: row.id,
    sequence,
    reason,
    mrrMinor,
    counts,
    isPaymentChurn,
    at,
  });
}

/** The lines behind a number, newest first, and what they come to. */
export async function listMovements(filter: LedgerFilter, limit: number, offset: number) {
  const [rows, sums] = await Promise.all([selectMovements(filter, limit, offset), sumMovements(filter)]);
  return { rows, sums, total: sums.reduce((count, sum) => count + sum.count, 0) };
}
