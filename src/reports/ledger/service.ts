import { type Transaction } from '../../adapters/postgres/connection';
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
  type Place,
} from './model';

export { movementKinds, type LedgerFilter, type MovementKind, type MovementRow, type Place };

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

/** A purchase in a store, after its store has told of it: whether it counts, and what it brings in a month. */
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

/** The same for a purchase in a store, once its row is written; its row is locked meanwhile. */
export async function recordStoreMovement(inTransaction: Transaction, step: StoreStep): Promise<void> {
  const { storePurchaseId, reason, at } = step;
  const last = await findLastLine(inTransaction, storePurchaseId);
  for (const line of storeLines(last, step))
    await insertStoreMovement(inTransaction, { storePurchaseId, reason, at, ...line });
}

type StoreLine = Omit<NewStoreMovement, 'storePurchaseId' | 'reason' | 'at'>;

/**
 * What leads from the last line to how it stands now. A store may change the currency of a purchase: it then moves from
 * the one to the other, and nobody has come or gone.
 */
export function storeLines(
  last: LastLine | undefined,
  next: Pick<StoreStep, 'counts' | 'mrrMinor' | 'currency' | 'isPaymentChurn'>,
): StoreLine[] {
  const { counts, mrrMinor, currency, isPaymentChurn } = next;
  const ends = (kind: NewStoreMovement['kind'], before: LastLine): StoreLine => ({
    kind,
    ...{ currency: before.currency, amountMinor: -before.mrrMinor, mrrMinor: 0, counts: false, subscriptions: -1 },
  });
  const begins = (kind?: NewStoreMovement['kind']): StoreLine => ({
    kind,
    ...{ currency, amountMinor: mrrMinor, mrrMinor, counts: true, subscriptions: 1 },
  });
  if (!last?.counts) return counts ? [begins()] : [];
  if (!counts) return [ends(isPaymentChurn ? 'churn_payment' : 'churn_voluntary', last)];
  if (last.currency !== currency) return [ends('contraction', last), begins('expansion')];
  const amountMinor = mrrMinor - last.mrrMinor;
  if (amountMinor === 0) return [];
  const kind = amountMinor > 0 ? 'expansion' : 'contraction';
  return [{ kind, currency, amountMinor, mrrMinor, counts, subscriptions: 0 }];
}

/** The lines behind a number, newest first, and what they come to. */
export async function listMovements(filter: LedgerFilter, limit: number, offset: number) {
  const [rows, sums] = await Promise.all([selectMovements(filter, { limit, offset }), sumMovements(filter)]);
  return { rows, sums, total: sums.reduce((count, sum) => count + sum.count, 0) };
}

/** All those lines from a place on, for who reads them in parts. */
export function readMovementsAfter(filter: LedgerFilter, limit: number, after: Place | undefined) {
  return selectMovements(filter, { limit, after });
}
