import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../kit/errors';
import { type BankAccount, type DebitMaker } from './debits';
import { type ChargeRequest, type KnownCharge } from './provider';
import { debitOutcomes, sandboxAccounts, type DebitOutcome } from './sandboxAccounts';
import { type SandboxQuery } from './sandboxLedger';

/** What becomes of one debit. `returned`: it is paid, and the payer takes the money back later. */
type Fate = 'paid' | 'failed' | 'closed' | 'returned';

/** The fate of an account's first, second … debit. The last one applies to all later debits. */
const fates: Record<DebitOutcome, readonly [Fate, ...Fate[]]> = {
  debit_paid: ['paid'],
  debit_failed: ['failed'],
  debit_closed: ['closed'],
  debit_returned: ['returned'],
  debit_failed_at_renewal: ['paid', 'failed'],
  debit_failed_once_at_renewal: ['paid', 'failed', 'paid'],
  debit_returned_once_at_renewal: ['paid', 'returned', 'paid'],
};

const declineReasons = { paid: null, returned: null, failed: 'insufficient_funds', closed: 'account_closed' } as const;

/** The banks decide after five days, and a payer takes the money back ten days later. The days are those of the merchant. */
const decisionDays = 5;
const returnDays = 15;

const MandateRow = z.object({ outcome: z.enum(debitOutcomes), earlier: z.coerce.number() });
const ReturnRow = z.object({ reference: z.string(), at: z.date() });

/** Direct debits in the sandbox's ledger. As for cards, each change is one statement. */
export function createSandboxDebits(query: SandboxQuery) {
  /** Submits a debit. A repeated key changes nothing. */
  async function submit(request: ChargeRequest): Promise<void> {
    const fate = await findFate(request);
    const { idempotencyKey, token, amountMinor, currency, description, at = new Date() } = request;
    const { rows } = await query(
      `INSERT INTO sandbox_charges AS charge (idempotency_key, token, amount_minor, currency, description, reference, status,
         decides_at, planned_decline, returns_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'processing', $7::timestamptz + make_interval(days => $8), $9,
         CASE WHEN $10 THEN $7::timestamptz + make_interval(days => $11) END)
       ON CONFLICT (idempotency_key) DO UPDATE SET attempts = charge.attempts + 1
       WHERE (charge.token, charge.amount_minor, charge.currency)
         = (excluded.token, excluded.amount_minor, excluded.currency)
       RETURNING reference`,
      [
        ...[idempotencyKey, token, amountMinor, currency, description, `pi_${randomBytes(16).toString('hex')}`, at],
        ...[decisionDays, declineReasons[fate], fate === 'returned', returnDays],
      ],
    );
    if (!rows[0]) throw new Error(`The key ${idempotencyKey} already names another charge`);
  }

  async function findFate({ token, idempotencyKey }: ChargeRequest): Promise<Fate> {
    const { rows } = await query(
      `SELECT outcome, (SELECT count(*) FROM sandbox_charges o WHERE o.token = c.token AND o.idempotency_key <> $2) AS earlier
       FROM sandbox_cards c WHERE token = $1 AND forgotten_at IS NULL`,
      [token, idempotencyKey],
    );
    if (!rows[0]) return 'closed';
    const { outcome, earlier } = MandateRow.parse(rows[0]);
    return fates[outcome][earlier] ?? fates[outcome].at(-1) ?? 'paid';
  }

  /** Lets the time pass: the bank decides on a debit that is due. */
  async function decide(idempotencyKey: string, { at = new Date() }: KnownCharge): Promise<void> {
    await query(
      `UPDATE sandbox_charges SET decline_reason = planned_decline,
         status = CASE WHEN planned_decline IS NULL THEN 'paid' ELSE 'declined' END,
         charged_at = CASE WHEN planned_decline IS NULL THEN now() END
       WHERE idempotency_key = $1 AND status = 'processing' AND decides_at <= $2`,
      [idempotencyKey, at],
    );
  }

  const debits: DebitMaker = {
    async createMandate({ iban, holderName }: BankAccount) {
      const known = sandboxAccounts.find((account) => account.iban === iban);
      if (!known)
        throw new AppError('invalid_input', {
          errors: { iban: 'The iban must be one of the published test accounts.' },
        });
      const token = `mandate_${randomBytes(16).toString('hex')}`;
      const lastFour = iban.slice(-4);
      const text = 'INSERT INTO sandbox_cards (token, outcome, last_four) VALUES ($1, $2, $3)';
      await query(text, [token, known.outcome, lastFour]);
      const reference = `SB${randomBytes(6).toString('hex').toUpperCase()}`;
      const country = iban.slice(0, 2);
      return {
        token,
        lastFour,
        country,
        holderName,
        reference,
        url: '',
        fingerprint: `sandbox-${country}-${lastFour}`,
      };
    },

    async findReturn(idempotencyKey, at) {
      const { rows } = await query(
        `UPDATE sandbox_charges SET returned_at = coalesce(returned_at, now())
         WHERE idempotency_key = $1 AND status = 'paid' AND returns_at <= $2
         RETURNING 'dp_' || reference AS reference, returns_at AS at`,
        [idempotencyKey, at],
      );
      return rows[0] && { ...ReturnRow.parse(rows[0]), reason: 'debit_not_authorized' };
    },
  };

  return { submit, decide, debits };
}
