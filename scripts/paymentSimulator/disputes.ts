import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { disputeStatuses } from '../../src/adapters/cardProviders/notifications';
import { type WireDispute } from '../../src/adapters/cardProviders/sandboxWire';
import { timeNow, type Books } from './books';
import { Refusal } from './refusal';

/** What the sandbox charges for a dispute, in the minor unit of its charge. */
export const disputeFeeMinor = 1_500;

const answerDays = 7;

const DisputeRow = z.object({
  reference: z.string(),
  chargeReference: z.string(),
  status: z.enum(disputeStatuses),
  reason: z.string(),
  amountMinor: z.coerce.number(),
  currency: z.string(),
  dueAt: z.string().nullable(),
  at: z.string(),
});

/** The words in the evidence of a test that decide a dispute at once. They are those of Stripe. */
const decisions = [
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
] as const;

export interface OpenedDispute {
  /** The reference of the charge. */
  reference: string;
  reason: string;
  /** Absent: the whole charge. */
  amountMinor?: number | undefined;
}

/** Payments that banks take back, in the ledger of the sandbox. A debit that its payer takes back is always lost. */
export function createDisputes({ query }: Books) {
  function find(reference: string): WireDispute | undefined {
    const [row] = query(
      `SELECT d.reference, c.reference AS "chargeReference", d.status, d.reason, d.amount_minor AS "amountMinor",
         c.currency, d.due_at AS "dueAt", d.changed_at AS at
       FROM disputes d JOIN charges c ON c.idempotency_key = d.charge_key WHERE d.reference = $1
       UNION ALL SELECT 'dp_' || reference, reference, 'lost', 'debit_not_authorized', amount_minor, currency, NULL,
         returns_at
       FROM charges WHERE returned_at IS NOT NULL AND 'dp_' || reference = $1`,
      [reference],
    );
    return row && { ...DisputeRow.parse(row), feeMinor: row['dueAt'] === null ? 0 : disputeFeeMinor };
  }

  function get(reference: string): WireDispute {
    const found = find(reference);
    if (!found) throw new Refusal(404, 'unknown_dispute', 'There is no such dispute.');
    return found;
  }

  /** The bank takes a paid charge back. */
  function open({ reference: charge, reason, amountMinor }: OpenedDispute): WireDispute {
    const reference = `dp_${randomBytes(16).toString('hex')}`;
    const dueAt = new Date(Date.now() + answerDays * 86_400_000).toISOString();
    const rows = query(
      `INSERT INTO disputes (reference, charge_key, reason, amount_minor, status, due_at, opened_at, changed_at)
       SELECT $1, idempotency_key, $3, coalesce($4, amount_minor), 'needs_response', $5, $6, $6 FROM charges
       WHERE reference = $2 AND status = 'paid' AND coalesce($4, 1) BETWEEN 1 AND amount_minor RETURNING reference`,
      [reference, charge, reason, amountMinor ?? null, dueAt, timeNow()],
    );
    if (!rows[0]) throw new Refusal(404, 'unknown_charge', 'There is no such paid charge with this amount.');
    return get(reference);
  }

  /** The bank decides. A later decision replaces an earlier one. */
  function decide(reference: string, status: 'won' | 'lost'): WireDispute {
    const rows = query(
      `UPDATE disputes SET status = $2, changed_at = $3, won_at = CASE WHEN $2 = 'won' THEN $3 END
       WHERE reference = $1 RETURNING reference`,
      [reference, status, timeNow()],
    );
    if (!rows[0]) throw new Refusal(404, 'unknown_dispute', 'There is no such dispute.');
    return get(reference);
  }

  /** The bank reads the first submission only. */
  function submit(reference: string, evidence: { statement: string }): WireDispute {
    const rows = query(
      `UPDATE disputes SET evidence = $2, status = 'under_review', changed_at = $3
       WHERE reference = $1 AND status = 'needs_response' AND evidence IS NULL RETURNING reference`,
      [reference, JSON.stringify(evidence), timeNow()],
    );
    if (!rows[0] && get(reference)) throw new Refusal(409, 'dispute_closed', 'The bank takes no more evidence.');
    const decision = decisions.find(([words]) => evidence.statement.includes(words));
    return decision ? decide(reference, decision[1]) : get(reference);
  }

  return { find, get, open, decide, submit };
}
