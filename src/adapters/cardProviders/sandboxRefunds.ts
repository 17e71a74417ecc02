import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type RefundRequest, type RefundResult } from './provider';
import { sandboxRefundOutcomes, type SandboxRefundOutcome } from './sandboxCards';
import { type SandboxQuery } from './sandboxLedger';

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

/** The refunds in the sandbox's ledger. As for charges, each change is one statement. */
export function createSandboxRefunds(query: SandboxQuery) {
  async function getOutcome({ chargeKey, chargeReference, amountMinor }: RefundRequest): Promise<SandboxRefundOutcome> {
    const { rows } = await query(
      `SELECT CASE WHEN c.returned_at IS NULL THEN cards.refund_outcome ELSE 'refused' END AS refund_outcome
       FROM sandbox_charges c JOIN sandbox_cards cards ON cards.token = c.token
       WHERE c.idempotency_key = $1 AND c.reference = $2 AND c.status = 'paid' AND c.amount_minor >= $3`,
      [chargeKey, chargeReference, amountMinor],
    );
    if (!rows[0]) throw new Error(`The sandbox has no charge ${chargeKey} with this amount left to refund`);
    return OutcomeRow.parse(rows[0]).refund_outcome;
  }

  async function refund(request: RefundRequest): Promise<RefundResult> {
    const outcome = await getOutcome(request);
    const { rows } = await query(
      `INSERT INTO sandbox_refunds AS refund (idempotency_key, reference, charge_key, amount_minor, status)
       VALUES ($1, $2, $3, $4, $5)
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
    if (!rows[0]) throw new Error(`The key ${request.idempotencyKey} already names another refund`);
    const made = RefundRow.parse(rows[0]);
    const isLost = outcome.startsWith('timeout') && made.attempts === 1 && made.status !== 'failed';
    return isLost ? { outcome: 'unknown' } : resultOf(made);
  }

  async function lookUpRefund({ idempotencyKey }: RefundRequest): Promise<RefundResult> {
    const { rows } = await query(
      `UPDATE sandbox_refunds r SET attempts = r.attempts + 1,
         status = CASE WHEN r.status <> 'pending' OR r.attempts < $2 THEN r.status
           WHEN cards.refund_outcome = 'pending_then_refused' THEN 'failed' ELSE 'refunded' END
       FROM sandbox_charges c JOIN sandbox_cards cards ON cards.token = c.token
       WHERE r.idempotency_key = $1 AND c.idempotency_key = r.charge_key RETURNING r.*`,
      [idempotencyKey, decidedAt],
    );
    return rows[0] ? resultOf(RefundRow.parse(rows[0])) : { outcome: 'not_sent' };
  }

  return { refund, lookUpRefund };
}

function resultOf({ status, reference }: RefundRow): RefundResult {
  if (status === 'refunded') return { outcome: 'refunded', reference };
  if (status === 'pending') return { outcome: 'pending', reference };
  if (status === 'not_refunded') return { outcome: 'not_sent' };
  return { outcome: 'refused', message: 'The customer’s bank refused the refund.' };
}
