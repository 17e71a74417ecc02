import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { declineReasons, type DeclineReason } from '../../src/adapters/cardProviders/provider';
import { type SentCharge } from '../../src/adapters/cardProviders/sandboxWire';
import { timeNow, type Books } from './books';
import { Refusal } from './refusal';
import { sandboxOutcomes, type SandboxCard, type SandboxOutcome } from './testCards';

const chargeStatuses = ['paid', 'requires_action', 'awaits_payer', 'processing', 'declined', 'not_charged'] as const;
export type SandboxChargeStatus = (typeof chargeStatuses)[number];

const CardRow = z.object({
  outcome: z.enum(sandboxOutcomes),
  earlier: z.coerce.number(),
  isAuthenticated: z.number().transform(Boolean),
});

const OutcomeRow = z.object({ outcome: z.string() });

const ChargeRow = z.object({
  reference: z.string(),
  token: z.string(),
  amount_minor: z.coerce.number(),
  currency: z.string(),
  description: z.string(),
  status: z.enum(chargeStatuses),
  decline_reason: z.enum(declineReasons).nullable(),
  attempts: z.number(),
  return_url: z.string().nullable(),
});
/** Absent: it was not sent. */
const ownerId = z
  .int()
  .nullable()
  .transform((id) => id ?? undefined);
const PaidRow = z.object({
  idempotencyKey: z.string(),
  reference: z.string(),
  amountMinor: z.coerce.number(),
  currency: z.string(),
  paidAt: z.string(),
  merchantId: ownerId,
  accountId: ownerId,
});

export type SandboxCharge = z.output<typeof ChargeRow>;

/**
 * The ledger of the sandbox. Like a provider's ledger, it is separate from the merchants' tables and is the authority
 * on charges. Each change is one statement.
 */
export function createLedger({ query }: Books) {
  /** The card number is not stored, only the outcome of its charges. */
  function addCard(card: SandboxCard): string {
    const token = `tok_${randomBytes(16).toString('hex')}`;
    query('INSERT INTO cards (token, outcome, refund_outcome, last_four) VALUES ($1, $2, $3, $4)', [
      token,
      card.outcome,
      card.refundOutcome ?? 'success',
      card.number.slice(-4),
    ]);
    return token;
  }

  /** The card's outcome, the number of its other charges, and whether its holder has authenticated it before. */
  function getOutcome(token: string, idempotencyKey: string) {
    const rows = query(
      `SELECT CASE WHEN forgotten_at IS NULL THEN outcome ELSE 'declined' END AS outcome,
         (SELECT count(*) FROM charges o WHERE o.token = c.token AND o.idempotency_key <> $2) AS earlier,
         EXISTS (SELECT 1 FROM charges o WHERE o.token = c.token AND o.status = 'paid')
           OR EXISTS (SELECT 1 FROM setups s WHERE s.token = c.token AND s.status = 'verified') AS "isAuthenticated"
       FROM cards c WHERE token = $1`,
      [token, idempotencyKey],
    );
    if (!rows[0]) throw new Refusal(404, 'unknown_token', 'The sandbox has not issued this card token');
    return CardRow.parse(rows[0]);
  }

  function findOutcome(token: string): string | undefined {
    const rows = query('SELECT outcome FROM cards WHERE token = $1', [token]);
    return rows[0] && OutcomeRow.parse(rows[0]).outcome;
  }

  /** From now on the charges of the card end as those of another test card. */
  function setOutcome(token: string, outcome: SandboxOutcome): void {
    const rows = query('UPDATE cards SET outcome = $2 WHERE token = $1 RETURNING token', [token, outcome]);
    if (!rows[0]) throw new Refusal(404, 'unknown_token', 'The sandbox has not issued this card token');
  }

  /** The token stays, and the card behind it is another one. */
  function replaceCard(token: string, card: SandboxCard): void {
    setOutcome(token, card.outcome);
    query('UPDATE cards SET last_four = $2 WHERE token = $1', [token, card.number.slice(-4)]);
  }

  /** Inserts the charge in its first status, or counts one more attempt of an existing one. */
  function addAttempt(
    request: SentCharge,
    first: { status: SandboxChargeStatus; declineReason: DeclineReason | null },
  ): SandboxCharge {
    // Unguessable, because anyone who knows it may answer the authentication.
    const reference = `pi_${randomBytes(16).toString('hex')}`;
    const rows = query(
      `INSERT INTO charges AS charge (idempotency_key, token, amount_minor, currency, description, reference,
         return_url, status, decline_reason, charged_at, merchant_id, account_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $8 = 'paid' THEN $10 END, $11, $12)
       ON CONFLICT (idempotency_key) DO UPDATE SET
         attempts = charge.attempts + 1,
         status = CASE WHEN charge.status = 'not_charged' THEN 'paid' ELSE charge.status END,
         charged_at = CASE WHEN charge.status = 'not_charged' THEN $10 ELSE charge.charged_at END
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
        request.returnUrl === undefined || request.isOffSession === true
          ? null
          : withReference(request.returnUrl, 'payment_intent', reference),
        first.status,
        first.declineReason,
        timeNow(),
        request.paidTo?.merchantId ?? null,
        request.paidTo?.accountId ?? null,
      ],
    );
    if (!rows[0]) throw usedKey(request.idempotencyKey);
    return ChargeRow.parse(rows[0]);
  }

  function findByKey(idempotencyKey: string): SandboxCharge | undefined {
    const rows = query('SELECT * FROM charges WHERE idempotency_key = $1', [idempotencyKey]);
    return rows[0] && ChargeRow.parse(rows[0]);
  }

  function findByReference(reference: string): SandboxCharge | undefined {
    const rows = query('SELECT * FROM charges WHERE reference = $1', [reference]);
    return rows[0] && ChargeRow.parse(rows[0]);
  }

  /** Changes only a charge that still waits: the first answer is final. Returns whether this was the first answer. */
  function settle(reference: string, declineReason: DeclineReason | null): boolean {
    const rows = query(
      `UPDATE charges SET
         status = CASE WHEN $2 IS NULL THEN 'paid' ELSE 'declined' END,
         decline_reason = $2,
         charged_at = CASE WHEN $2 IS NULL THEN $3 END
       WHERE reference = $1 AND (status = 'requires_action' OR status = 'awaits_payer' AND $2 IS NOT NULL)
       RETURNING reference`,
      [reference, declineReason, timeNow()],
    );
    return rows.length > 0;
  }

  /** Asks the payer of a waiting charge to authenticate it now. */
  function confirm(reference: string, returnUrl: string | undefined): void {
    query(
      `UPDATE charges SET status = 'requires_action', return_url = coalesce($2, return_url)
       WHERE reference = $1 AND status = 'awaits_payer'`,
      [reference, returnUrl === undefined ? null : withReference(returnUrl, 'payment_intent', reference)],
    );
  }

  /** The charges stay in the ledger without the payer. */
  function forgetCards(tokens: readonly string[]): void {
    const values = [JSON.stringify(tokens)];
    const isForgotten = 'token IN (SELECT value FROM json_each($1))';
    query(`UPDATE cards SET last_four = '0000', forgotten_at = coalesce(forgotten_at, $2) WHERE ${isForgotten}`, [
      ...values,
      timeNow(),
    ]);
    query(`UPDATE setups SET return_url = NULL WHERE ${isForgotten}`, values);
    query(`UPDATE charges SET return_url = NULL WHERE ${isForgotten}`, values);
  }

  function listPaid(since: string) {
    const rows = query(
      `SELECT idempotency_key AS "idempotencyKey", reference, amount_minor AS "amountMinor", currency,
         charged_at AS "paidAt", merchant_id AS "merchantId", account_id AS "accountId"
       FROM charges WHERE status = 'paid' AND charged_at >= $1 ORDER BY charged_at`,
      [since],
    );
    return rows.map((row) => PaidRow.parse(row));
  }

  return {
    addCard,
    getOutcome,
    findOutcome,
    setOutcome,
    replaceCard,
    addAttempt,
    findByKey,
    findByReference,
    confirm,
    settle,
    forgetCards,
    listPaid,
  };
}

export const usedKey = (key: string) =>
  new Refusal(409, 'idempotency_key_in_use', `The key ${key} already names another charge`);

export function withReference(returnUrl: string, name: 'payment_intent' | 'setup_intent', reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set(name, reference);
  return url.href;
}
