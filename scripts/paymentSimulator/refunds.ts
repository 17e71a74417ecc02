import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type SentRefund, type WireRefund } from '../../src/adapters/cardProviders/sandboxWire';
import { type Books } from './books';
import { NoAnswer, Refusal } from './refusal';
import { sandboxRefundOutcomes, type SandboxRefundOutcome } from './testCards';

const RefundRow = z.object({
  reference: z.string(),
  status: z.enum(['refunded', 'pending', 'failed', 'not_refunded']),
  attempts: z.number(),
});
type RefundRow = z.output<typeof RefundRow>;

const OutcomeRow = z.object({ refund_outcome: z.enum(sandboxRefundOutcomes) });

const firstStatuses: Record<SandboxRefundOutcome, RefundRow['status']> = {
  success: 'refunded',
  refused: 'failed',
  timeout_before_refunding: 'not_refunded',
  timeout_after_refunding: 'refunded',
  pending_then_success: 'pending',
  pending_then_refused: 'pending',
};

/** A pending refund is decided at this look-up. The waits between look-ups double, so that takes some seconds. */
const decidedAt = 4;

/** What is left of a charge. The sandbox refunds no more than that. */
const left = `(SELECT amount_minor FROM charges WHERE idempotency_key = $3)
  - (SELECT coalesce(sum(amount_minor), 0) FROM refunds WHERE charge_key = $3 AND status <> 'failed')`;

/** The refunds in the sandbox's ledger. As for charges, each change is one statement. */
export function createRefunds({ query }: Books) {
  function getOutcome({ chargeKey, chargeReference, amountMinor }: SentRefund): SandboxRefundOutcome {
    const rows = query(
      `SELECT CASE WHEN c.returned_at IS NULL AND NOT EXISTS (SELECT 1 FROM disputes d
           WHERE d.charge_key = c.idempotency_key AND d.status <> 'won')
         THEN cards.refund_outcome ELSE 'refused' END AS refund_outcome
       FROM charges c JOIN cards ON cards.token = c.token
       WHERE c.idempotency_key = $1 AND c.reference = $2 AND c.status = 'paid' AND c.amount_minor >= $3`,
      [chargeKey, chargeReference, amountMinor],
    );
    if (!rows[0])
      throw new Refusal(
        404,
        'unknown_charge',
        `The sandbox has no charge ${chargeKey} with this amount left to refund`,
      );
    return OutcomeRow.parse(rows[0]).refund_outcome;
  }

  function refund(request: SentRefund): WireRefund {
    const outcome = getOutcome(request);
    const rows = query(
      `INSERT INTO refunds AS refund (idempotency_key, reference, charge_key, amount_minor, status)
       VALUES ($1, $2, $3, $4, CASE WHEN $4 > ${left} THEN 'failed' ELSE $5 END)
       ON CONFLICT (idempotency_key) DO UPDATE SET
         attempts = refund.attempts + 1,
         status = CASE WHEN refund.status = 'not_refunded' THEN 'refunded' ELSE refund.status END
       WHERE (refund.charge_key, refund.amount_minor) = (excluded.charge_key, excluded.amount_minor)
       RETURNING *`,
      [
        request.idempotencyKey,
        `re_${randomBytes(16).toString('hex')}`,
        request.chargeKey,
        request.amountMinor,
        firstStatuses[outcome],
      ],
    );
    if (!rows[0])
      throw new Refusal(
        409,
        'idempotency_key_in_use',
        `The key ${request.idempotencyKey} already names another refund`,
      );
    const made = RefundRow.parse(rows[0]);
    const isLost = outcome.startsWith('timeout') && made.attempts === 1 && made.status !== 'failed';
    if (isLost) throw new NoAnswer();
    return resultOf(made);
  }

  function lookUpRefund(idempotencyKey: string): WireRefund {
    const rows = query(
      `UPDATE refunds AS r SET attempts = r.attempts + 1,
         status = CASE WHEN r.status <> 'pending' OR r.attempts < $2 THEN r.status
           WHEN cards.refund_outcome = 'pending_then_refused' THEN 'failed' ELSE 'refunded' END
       FROM charges c JOIN cards ON cards.token = c.token
       WHERE r.idempotency_key = $1 AND c.idempotency_key = r.charge_key RETURNING *`,
      [idempotencyKey, decidedAt],
    );
    return rows[0] ? resultOf(RefundRow.parse(rows[0])) : { status: 'not_refunded', reference: '' };
  }

  return { refund, lookUpRefund };
}

const resultOf = ({ status, reference }: RefundRow): WireRefund => ({ status, reference });
