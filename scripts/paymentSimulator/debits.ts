import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type BankAccount, type Mandate } from '../../src/adapters/cardProviders/debits';
import { type SentCharge, type WireReturn } from '../../src/adapters/cardProviders/sandboxWire';
import { timeNow, type Books } from './books';
import { usedKey } from './ledger';
import { InvalidField } from './refusal';
import { debitOutcomes, sandboxAccounts, type DebitOutcome } from './testAccounts';

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
const ReturnRow = z.object({ reference: z.string(), at: z.string() });

/** Direct debits in the sandbox's ledger. As for cards, each change is one statement. */
export function createDebits({ query }: Books) {
  /** Submits a debit. A repeated key changes nothing. */
  function submit(request: SentCharge): void {
    const fate = findFate(request);
    const { idempotencyKey, token, amountMinor, currency, description, at = timeNow() } = request;
    const rows = query(
      `INSERT INTO charges AS charge (idempotency_key, token, amount_minor, currency, description, reference, status,
         decides_at, planned_decline, returns_at, merchant_id, account_id)
       VALUES ($1, $2, $3, $4, $5, $6, 'processing', $7, $8, $9, $10, $11)
       ON CONFLICT (idempotency_key) DO UPDATE SET attempts = charge.attempts + 1
       WHERE (charge.token, charge.amount_minor, charge.currency)
         = (excluded.token, excluded.amount_minor, excluded.currency)
       RETURNING reference`,
      [
        ...[idempotencyKey, token, amountMinor, currency, description, `pi_${randomBytes(16).toString('hex')}`],
        ...[daysAfter(at, decisionDays), declineReasons[fate], fate === 'returned' ? daysAfter(at, returnDays) : null],
        ...[request.paidTo?.merchantId ?? null, request.paidTo?.accountId ?? null],
      ],
    );
    if (!rows[0]) throw usedKey(idempotencyKey);
  }

  function findFate({ token, idempotencyKey }: SentCharge): Fate {
    const rows = query(
      `SELECT outcome, (SELECT count(*) FROM charges o WHERE o.token = c.token AND o.idempotency_key <> $2) AS earlier
       FROM cards c WHERE token = $1 AND forgotten_at IS NULL`,
      [token, idempotencyKey],
    );
    if (!rows[0]) return 'closed';
    const { outcome, earlier } = MandateRow.parse(rows[0]);
    return fates[outcome][earlier] ?? fates[outcome].at(-1) ?? 'paid';
  }

  /** Lets the time pass: the bank decides on a debit that is due. */
  function decide(idempotencyKey: string, at = timeNow()): void {
    query(
      `UPDATE charges SET decline_reason = planned_decline,
         status = CASE WHEN planned_decline IS NULL THEN 'paid' ELSE 'declined' END,
         charged_at = CASE WHEN planned_decline IS NULL THEN $3 END
       WHERE idempotency_key = $1 AND status = 'processing' AND decides_at <= $2`,
      [idempotencyKey, at, timeNow()],
    );
  }

  function createMandate({ iban, holderName }: BankAccount): Mandate {
    const known = sandboxAccounts.find((account) => account.iban === iban);
    if (!known) throw new InvalidField('iban', 'The iban must be one of the published test accounts.');
    const token = `mandate_${randomBytes(16).toString('hex')}`;
    const lastFour = iban.slice(-4);
    query('INSERT INTO cards (token, outcome, last_four) VALUES ($1, $2, $3)', [token, known.outcome, lastFour]);
    const reference = `SB${randomBytes(6).toString('hex').toUpperCase()}`;
    const country = iban.slice(0, 2);
    return { token, lastFour, country, holderName, reference, url: '', fingerprint: `sandbox-${country}-${lastFour}` };
  }

  /** The payer takes the money back when it is time. */
  function findReturn(idempotencyKey: string, at: string): WireReturn | undefined {
    const rows = query(
      `UPDATE charges SET returned_at = coalesce(returned_at, $3)
       WHERE idempotency_key = $1 AND status = 'paid' AND returns_at <= $2
       RETURNING 'dp_' || reference AS reference, returns_at AS at`,
      [idempotencyKey, at, timeNow()],
    );
    return rows[0] && { ...ReturnRow.parse(rows[0]), reason: 'debit_not_authorized' };
  }

  return { submit, decide, createMandate, findReturn };
}

const daysAfter = (at: string, days: number) => new Date(Date.parse(at) + days * 86_400_000).toISOString();
