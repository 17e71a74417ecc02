import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { declineReasons, type ChargeRequest, type DeclineReason } from './provider';
import { sandboxOutcomes, type SandboxCard } from './sandboxCards';

/** A pool's query, as small as the ledger needs it. */
export type SandboxQuery = (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

const chargeStatuses = ['paid', 'requires_action', 'declined', 'not_charged'] as const;
export type SandboxChargeStatus = (typeof chargeStatuses)[number];

const CardRow = z.object({ outcome: z.enum(sandboxOutcomes), earlier: z.coerce.number() });

const ChargeRow = z.object({
  reference: z.string(),
  amount_minor: z.coerce.number(),
  currency: z.string(),
  description: z.string(),
  status: z.enum(chargeStatuses),
  decline_reason: z.enum(declineReasons).nullable(),
  attempts: z.number(),
  return_url: z.string().nullable(),
});
export type SandboxCharge = z.output<typeof ChargeRow>;

/**
 * The sandbox's own books, as a provider would keep them: apart from the merchants' tables, and the authority on what was
 * charged. Each change is one statement, so that parallel calls with one key meet at its row.
 */
export function createSandboxLedger(query: SandboxQuery) {
  /** The number is forgotten here: the card is known by what it does. */
  async function addCard(card: SandboxCard): Promise<string> {
    const token = `tok_${randomBytes(16).toString('hex')}`;
    await query('INSERT INTO sandbox_cards (token, outcome, refund_outcome, last_four) VALUES ($1, $2, $3, $4)', [
      token,
      card.outcome,
      card.refundOutcome ?? 'success',
      card.number.slice(-4),
    ]);
    return token;
  }

  /** What the card does, and how many other charges it has had. */
  async function getOutcome({ token, idempotencyKey }: Pick<ChargeRequest, 'token' | 'idempotencyKey'>) {
    const { rows } = await query(
      `SELECT CASE WHEN forgotten_at IS NULL THEN outcome ELSE 'declined' END AS outcome,
         (SELECT count(*) FROM sandbox_charges o WHERE o.token = c.token AND o.idempotency_key <> $2) AS earlier
       FROM sandbox_cards c WHERE token = $1`,
      [token, idempotencyKey],
    );
    if (!rows[0]) throw new Error('The sandbox has issued no such card token');
    return CardRow.parse(rows[0]);
  }

  /** Writes the charge in its first status, or counts one more attempt; a charge that was never made is made then. */
  async function addAttempt(
    request: ChargeRequest,
    first: { status: SandboxChargeStatus; declineReason: DeclineReason | null },
  ): Promise<SandboxCharge> {
    // Unguessable, because who knows it may answer the authentication.
    const reference = `pi_${randomBytes(16).toString('hex')}`;
    const { rows } = await query(
      `INSERT INTO sandbox_charges AS charge (idempotency_key, token, amount_minor, currency, description, reference,
         return_url, status, decline_reason, charged_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $8 = 'paid' THEN now() END)
       ON CONFLICT (idempotency_key) DO UPDATE SET
         attempts = charge.attempts + 1,
         status = CASE WHEN charge.status = 'not_charged' THEN 'paid' ELSE charge.status END,
         charged_at = CASE WHEN charge.status = 'not_charged' THEN now() ELSE charge.charged_at END
       WHERE (charge.token, charge.amount_minor, charge.currency)
         = (excluded.token, excluded.amount_minor, excluded.currency)
       RETURNING *`,
      [
        request.idempotencyKey,
        request.token,
        request.amountMinor,
        request.currency,
        request.description,
        reference,
        request.returnUrl === undefined ? null : withPaymentIntent(request.returnUrl, reference),
        first.status,
        first.declineReason,
      ],
    );
    if (!rows[0]) throw new Error(`The key ${request.idempotencyKey} already names another charge`);
    return ChargeRow.parse(rows[0]);
  }

  async function findByKey(idempotencyKey: string): Promise<SandboxCharge | undefined> {
    const { rows } = await query('SELECT * FROM sandbox_charges WHERE idempotency_key = $1', [idempotencyKey]);
    return rows[0] && ChargeRow.parse(rows[0]);
  }

  async function findByReference(reference: string): Promise<SandboxCharge | undefined> {
    const { rows } = await query('SELECT * FROM sandbox_charges WHERE reference = $1', [reference]);
    return rows[0] && ChargeRow.parse(rows[0]);
  }

  /** Changes nothing unless the charge still waits: the first answer stands. */
  async function settle(reference: string, declineReason: DeclineReason | null): Promise<void> {
    await query(
      `UPDATE sandbox_charges SET
         status = CASE WHEN $2::text IS NULL THEN 'paid' ELSE 'declined' END,
         decline_reason = $2,
         charged_at = CASE WHEN $2::text IS NULL THEN now() END
       WHERE reference = $1 AND status = 'requires_action'`,
      [reference, declineReason],
    );
  }

  /** The charges stay in the books, with nothing of who paid. */
  async function forgetCards(tokens: readonly string[]): Promise<void> {
    await query(
      `WITH forgotten AS (
         UPDATE sandbox_cards SET last_four = '0000', forgotten_at = coalesce(forgotten_at, now()) WHERE token = ANY($1)
         RETURNING token
       )
       UPDATE sandbox_charges c SET return_url = NULL FROM forgotten WHERE c.token = forgotten.token`,
      [tokens],
    );
  }

  return { addCard, getOutcome, addAttempt, findByKey, findByReference, settle, forgetCards };
}

function withPaymentIntent(returnUrl: string, reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('payment_intent', reference);
  return url.href;
}
