import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { balanceKinds } from './balances';
import { declineReasons, type ChargeRequest, type DeclineReason } from './provider';
import { sandboxOutcomes, type SandboxCard } from './sandboxCards';

/** The part of a pool's query function that the ledger needs. */
export type SandboxQuery = (text: string, values: unknown[]) => Promise<{ rows: Record<string, unknown>[] }>;

const chargeStatuses = ['paid', 'requires_action', 'awaits_payer', 'processing', 'declined', 'not_charged'] as const;
export type SandboxChargeStatus = (typeof chargeStatuses)[number];

const CardRow = z.object({
  outcome: z.enum(sandboxOutcomes),
  earlier: z.coerce.number(),
  isAuthenticated: z.boolean(),
});

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
const PaidRow = z.object({
  idempotencyKey: z.string(),
  reference: z.string(),
  amountMinor: z.coerce.number(),
  currency: z.string(),
  paidAt: z.date(),
});

const BalanceRow = z.object({
  reference: z.string(),
  kind: z.enum(balanceKinds),
  chargeReference: z.string(),
  objectReference: z.string(),
  idempotencyKey: z.string(),
  amountMinor: z.coerce.number(),
  currency: z.string(),
  feeMinor: z.coerce.number(),
  feeCurrency: z.string(),
  at: z.date(),
});

/** The part of each charge that the sandbox takes as its fee. */
const feeRate = 0.03;

export type SandboxCharge = z.output<typeof ChargeRow>;

/**
 * The ledger of the sandbox. Like a provider's ledger, it is separate from the merchants' tables and is the authority
 * on charges. Each change is one statement, so that concurrent calls with one key wait for its row.
 */
export function createSandboxLedger(query: SandboxQuery) {
  /** The card number is not stored, only the outcome of its charges. */
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

  /** The card's outcome, the number of its other charges, and whether its holder has authenticated it before. */
  async function getOutcome({ token, idempotencyKey }: Pick<ChargeRequest, 'token' | 'idempotencyKey'>) {
    const { rows } = await query(
      `SELECT CASE WHEN forgotten_at IS NULL THEN outcome ELSE 'declined' END AS outcome,
         (SELECT count(*) FROM sandbox_charges o WHERE o.token = c.token AND o.idempotency_key <> $2) AS earlier,
         EXISTS (SELECT FROM sandbox_charges o WHERE o.token = c.token AND o.status = 'paid')
           OR EXISTS (SELECT FROM sandbox_setups s WHERE s.token = c.token AND s.status = 'verified') AS "isAuthenticated"
       FROM sandbox_cards c WHERE token = $1`,
      [token, idempotencyKey],
    );
    if (!rows[0]) throw new Error('The sandbox has not issued this card token');
    return CardRow.parse(rows[0]);
  }

  /** Inserts the charge in its first status, or counts one more attempt of an existing one. */
  async function addAttempt(
    request: ChargeRequest,
    first: { status: SandboxChargeStatus; declineReason: DeclineReason | null },
  ): Promise<SandboxCharge> {
    // Unguessable, because anyone who knows it may answer the authentication.
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
        request.returnUrl === undefined || request.isOffSession
          ? null
          : withReference(request.returnUrl, 'payment_intent', reference),
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

  /** Changes only a charge that still waits: the first answer is final. */
  async function settle(reference: string, declineReason: DeclineReason | null): Promise<void> {
    await query(
      `UPDATE sandbox_charges SET
         status = CASE WHEN $2::text IS NULL THEN 'paid' ELSE 'declined' END,
         decline_reason = $2,
         charged_at = CASE WHEN $2::text IS NULL THEN now() END
       WHERE reference = $1 AND (status = 'requires_action' OR status = 'awaits_payer' AND $2::text IS NOT NULL)`,
      [reference, declineReason],
    );
  }

  /** Asks the payer of a waiting charge to authenticate it now. */
  async function confirm(reference: string, returnUrl: string | undefined): Promise<void> {
    await query(
      `UPDATE sandbox_charges SET status = 'requires_action', return_url = coalesce($2, return_url)
       WHERE reference = $1 AND status = 'awaits_payer'`,
      [reference, returnUrl === undefined ? null : withReference(returnUrl, 'payment_intent', reference)],
    );
  }

  /** The charges stay in the ledger without the payer. */
  async function forgetCards(tokens: readonly string[]): Promise<void> {
    await query(
      `WITH forgotten AS (
         UPDATE sandbox_cards SET last_four = '0000', forgotten_at = coalesce(forgotten_at, now()) WHERE token = ANY($1)
         RETURNING token
       ),
       setups AS (UPDATE sandbox_setups s SET return_url = NULL FROM forgotten WHERE s.token = forgotten.token)
       UPDATE sandbox_charges c SET return_url = NULL FROM forgotten WHERE c.token = forgotten.token`,
      [tokens],
    );
  }

  async function* listPaid(since: Date) {
    const { rows } = await query(
      `SELECT idempotency_key AS "idempotencyKey", reference, amount_minor AS "amountMinor", currency,
         charged_at AS "paidAt"
       FROM sandbox_charges WHERE status = 'paid' AND charged_at >= $1 ORDER BY charged_at`,
      [since],
    );
    for (const row of rows) yield PaidRow.parse(row);
  }

  async function* listBalance(since: Date) {
    const { rows } = await query(
      `SELECT 'txn_' || c.reference AS reference, 'charge' AS kind, c.reference AS "chargeReference",
         '' AS "objectReference", c.idempotency_key AS "idempotencyKey", c.amount_minor AS "amountMinor", c.currency,
         ceil(c.amount_minor * ${feeRate}) AS "feeMinor", c.currency AS "feeCurrency", c.charged_at AS at
       FROM sandbox_charges c WHERE c.status = 'paid' AND c.charged_at >= $1
       UNION ALL SELECT 'txn_' || r.reference, 'refund', c.reference, r.reference, c.idempotency_key, r.amount_minor,
         c.currency, 0, c.currency, r.created_at
       FROM sandbox_refunds r JOIN sandbox_charges c ON c.idempotency_key = r.charge_key
       WHERE r.status IN ('refunded', 'pending') AND r.created_at >= $1
       UNION ALL SELECT 'txn_dp_' || c.reference, 'dispute', c.reference, 'dp_' || c.reference, c.idempotency_key,
         c.amount_minor, c.currency, 0, c.currency, c.returned_at
       FROM sandbox_charges c WHERE c.returned_at >= $1`,
      [since],
    );
    for (const row of rows) yield BalanceRow.parse(row);
  }

  return {
    listBalance,
    addCard,
    getOutcome,
    addAttempt,
    findByKey,
    findByReference,
    confirm,
    settle,
    forgetCards,
    listPaid,
  };
}

export function withReference(returnUrl: string, name: 'payment_intent' | 'setup_intent', reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set(name, reference);
  return url.href;
}
