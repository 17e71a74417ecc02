import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type StepKind } from './ledger.model';

/** The state of a store's subscription, in the vocabulary of card subscriptions. */
export type StoreState =
  'incomplete' | 'trialing' | 'active' | 'past_due' | 'on_hold' | 'paused' | 'canceled' | 'expired' | 'revoked';

/** The last row of a purchase. */
export interface LastStep {
  state: StoreState;
  currency: string;
  amountMinor: number;
  charges: number;
  inTrial: boolean;
}

const lastStatement = statement<LastStep>(
  'store_transition_last',
  `SELECT to_state AS state, currency, amount_minor AS "amountMinor", charges, in_trial AS "inTrial"
   FROM store_transitions WHERE store_purchase_id = $1 ORDER BY sequence DESC LIMIT 1`,
);

export async function findLastStep(inTransaction: Transaction, storePurchaseId: number): Promise<LastStep | undefined> {
  const [last] = await lastStatement([storePurchaseId], inTransaction);
  return last;
}

/** `from`: the previous state, if there was one. */
export interface NewStep extends LastStep {
  from: Pick<LastStep, 'state' | 'currency'> | undefined;
  occasions: readonly StepKind[];
}

const insertStatement = statement(
  'store_transition',
  `INSERT INTO store_transitions (merchant_id, store_purchase_id, sequence, from_state, from_currency, to_state, currency,
     reason, occasions, amount_minor, charges, in_trial, created_at)
   SELECT p.merchant_id, p.id,
     1 + coalesce((SELECT max(sequence) FROM store_transitions WHERE store_purchase_id = p.id), 0),
     $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
   FROM store_purchases p WHERE p.id = $1`,
);

// The caller holds the lock of the purchase's row, so steps are inserted one after another.
export async function insertStep(
  inTransaction: Transaction,
  { storePurchaseId, reason, at, ...step }: NewStep & { storePurchaseId: number; reason: string; at: Date },
): Promise<void> {
  const { from, state, currency, occasions, amountMinor, charges, inTrial } = step;
  const before = [from?.state ?? null, from?.currency ?? null];
  const values = [state, currency, reason, occasions, amountMinor, charges, inTrial, at];
  await insertStatement([storePurchaseId, ...before, ...values], inTransaction);
}
