import { type Transaction } from '../adapters/postgres/connection';
import {
  findLastLine,
  insertMovement,
  insertStoreMovement,
  movementKinds,
  selectMovements,
  sumMovements,
  type LastLine,
  type LedgerFilter,
  type MovementKind,
  type MovementRow,
  type NewStoreMovement,
  type MovementPage,
  type MovementCursor,
} from './ledger.model';

export { movementKinds, type LedgerFilter, type MovementKind, type MovementRow, type MovementCursor };

/** The ledger of monthly recurring revenue. It is append-only, and each amount of a report is a sum of its lines. */

/** A subscription after a transition, with the values of its row. */
export interface Step {
  row: { id: number; state: string };
  /** Whether the subscription counts, and its monthly revenue. */
  counts: boolean;
  mrrMinor: number;
  /** The number of the transition. */
  sequence: number;
  reason: string;
  /** The merchant's time. */
  at: Date;
}

/** Writes the change of a subscription's monthly revenue, if there is one, in the transaction of the step. */
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

/** A store purchase after its store's answer, with whether it counts and its monthly revenue. */
export interface StoreStep {
  storePurchaseId: number;
  counts: boolean;
  mrrMinor: number;
  currency: string;
  reason: string;
  isPaymentChurn: boolean;
  /** The merchant's time. */
  at: Date;
}

/** Writes the change of a store purchase's monthly revenue, after its row is written. The row is locked. */
export async function recordStoreMovement(inTransaction: Transaction, step: StoreStep): Promise<void> {
  const { storePurchaseId, reason, at } = step;
  const last = await findLastLine(inTransaction, storePurchaseId);
  for (const line of storeLines(last, step))
    await insertStoreMovement(inTransaction, { storePurchaseId, reason, at, ...line });
}

type StoreLine = Omit<NewStoreMovement, 'storePurchaseId' | 'reason' | 'at'>;

/**
 * The lines from the last recorded state to the current one. A store may change a purchase's currency: the revenue then
 * moves to the new currency without a new or a lost customer.
 */
export function storeLines(
  last: LastLine | undefined,
  next: Pick<StoreStep, 'counts' | 'mrrMinor' | 'currency' | 'isPaymentChurn'>,
): StoreLine[] {
  const { counts, mrrMinor, currency, isPaymentChurn } = next;
  const ends = (kind: NewStoreMovement['kind'], before: LastLine): StoreLine => ({
    kind,
    currency: before.currency,
    amountMinor: -before.mrrMinor,
    mrrMinor: 0,
    counts: false,
    subscriptions: -1,
  });
  const begins = (kind?: NewStoreMovement['kind']): StoreLine => ({
    kind,
    currency,
    amountMinor: mrrMinor,
    mrrMinor,
    counts: true,
    subscriptions: 1,
  });
  if (!last?.counts) return counts ? [begins()] : [];
  if (!counts) return [ends(isPaymentChurn ? 'churn_payment' : 'churn_voluntary', last)];
  if (last.currency !== currency) return [ends('contraction', last), begins('expansion')];
  const amountMinor = mrrMinor - last.mrrMinor;
  if (amountMinor === 0) return [];
  const kind = amountMinor > 0 ? 'expansion' : 'contraction';
  return [{ kind, currency, amountMinor, mrrMinor, counts, subscriptions: 0 }];
}

/** Lists the lines behind a figure, newest first, with their sums. */
export async function listMovements(filter: LedgerFilter, part: MovementPage) {
  const [rows, sums] = await Promise.all([selectMovements(filter, part), sumMovements(filter)]);
  return { rows, sums, total: sums.reduce((count, sum) => count + sum.count, 0) };
}

/** Reads the lines from a position on, in parts. */
export function readMovementsAfter(filter: LedgerFilter, limit: number, after: MovementCursor | undefined) {
  return selectMovements(filter, { limit, after });
}
