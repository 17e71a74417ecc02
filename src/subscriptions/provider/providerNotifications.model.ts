import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { type DisputeDecision } from '../../tax/chargeTaxes.model';

interface NotificationId {
  provider: string;
  id: string;
}

const knownStatement = statement(
  'provider_notification_known',
  'SELECT FROM provider_notifications WHERE provider = $1 AND id = $2',
);

export async function isKnown({ provider, id }: NotificationId): Promise<boolean> {
  return (await knownStatement([provider, id])).length > 0;
}

/** False if another request has recorded the notification in the meantime. */
export async function recordNotification(
  inTransaction: Transaction,
  { provider, id }: NotificationId,
  about: string,
): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    'INSERT INTO provider_notifications (provider, id, about) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [provider, id, about],
  );
  return noted.length > 0;
}

const awaitedStatement = statement(
  'charge_reference_awaited',
  `SELECT FROM charges WHERE status = 'open' AND reference IS NULL AND amount_minor > 0
     AND opened_at > now() - interval '1 hour' AND ($1::bigint IS NULL OR merchant_id = $1) LIMIT 1`,
);

/** Whether the provider may know a charge of the last hour, of this merchant or of any, by a reference that is not stored. */
export async function isReferenceAwaited(merchantId: number | undefined): Promise<boolean> {
  return (await awaitedStatement([merchantId ?? null])).length > 0;
}

/** The fields of `NotifiedDispute`, with the account and the charge. */
export interface DisputeNotice {
  provider: string;
  reference: string;
  chargeId: number;
  at: Date;
  status: 'needs_response' | 'under_review' | 'won' | 'lost';
  reason?: string;
  amountMinor?: number;
  currency?: string;
  fee?: { amountMinor: number; currency: string };
  dueAt?: Date;
  isBlocked?: true;
}

const lockStatement = statement(
  'dispute_lock',
  `SELECT pg_advisory_xact_lock(hashtext('disputes'), coalesce(subscription_id, -payment_id)) FROM charges WHERE id = $1`,
);

export interface RecordedDispute {
  id: number;
  isNew: boolean;
  /** The first report that the bank has taken the money, or the first one after the dispute was won. */
  isFirst: boolean;
}

/** The order of the states of a dispute. A bank can return the money of a lost dispute. */
const rankOf = (status: string) => `array_position(ARRAY['needs_response', 'under_review', 'lost', 'won'], ${status})`;

/**
 * Undefined if a newer notification of the dispute is known, or if a dispute was blocked before it was known. Of two
 * notifications in the same second, the later state is newer. The purchase is locked until the commit, so that each of two
 * disputes that are won at the same time sees the other.
 */
export async function recordDispute(
  inTransaction: Transaction,
  notice: DisputeNotice,
): Promise<RecordedDispute | undefined> {
  const { provider, reference, chargeId, status, at, reason, amountMinor, currency, fee, dueAt } = notice;
  await lockStatement([chargeId], inTransaction);
  if (notice.isBlocked && !(await isListed(inTransaction, notice))) return undefined;
  const [noted] = await execute<RecordedDispute>(
    inTransaction,
    `INSERT INTO disputes AS d (provider, reference, charge_id, is_won, told_at, status, reason, amount_minor, currency,
       fee_minor, fee_currency, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, 'general'), $8, $9, coalesce($10, 0), $11, $12)
     ON CONFLICT (provider, reference) DO UPDATE SET is_won = excluded.is_won, told_at = excluded.told_at,
       status = excluded.status, reason = coalesce($7, d.reason), fee_minor = coalesce($10, d.fee_minor),
       fee_currency = coalesce($11, d.fee_currency), due_at = coalesce($12, d.due_at)
       WHERE (excluded.told_at, ${rankOf('excluded.status')}) > (d.told_at, ${rankOf('d.status')})
     RETURNING id, xmax = 0 AS "isNew", coalesce((SELECT o.is_won FROM disputes o
       WHERE o.provider = $1 AND o.reference = $2), true) AS "isFirst"`,
    [
      ...[provider, reference, chargeId, status === 'won', at, status, reason ?? null, amountMinor ?? null],
      ...[currency ?? null, fee?.amountMinor ?? null, fee?.currency ?? null, dueAt ?? null],
    ],
  );
  return noted;
}

async function isListed(inTransaction: Transaction, { provider, reference }: DisputeNotice): Promise<boolean> {
  const text = 'SELECT id FROM disputes WHERE provider = $1 AND reference = $2';
  return (await execute(inTransaction, text, [provider, reference])).length > 0;
}

/** The decision of the bank about a dispute; undefined before it. An amount in another currency is that of the charge. */
export async function findDecision(
  inTransaction: Transaction,
  provider: string,
  reference: string,
): Promise<Omit<DisputeDecision, 'at'> | undefined> {
  const [decision] = await execute<Omit<DisputeDecision, 'at'>>(
    inTransaction,
    `SELECT d.id, d.merchant_id AS "merchantId", d.charge_id AS "chargeId", d.status = 'lost' AS "isLost",
       (CASE WHEN d.currency = c.currency THEN d.amount_minor ELSE c.amount_minor END)::float8 AS "amountMinor"
     FROM disputes d JOIN charges c ON c.id = d.charge_id
     WHERE d.provider = $1 AND d.reference = $2 AND d.status IN ('won', 'lost')`,
    [provider, reference],
  );
  return decision;
}

/** Whether any charge of a purchase is disputed. A payer's bank may dispute several charges. */
export async function isDisputed(
  inTransaction: Transaction,
  { kind, id }: { kind: 'subscription' | 'payment'; id: number },
): Promise<boolean> {
  const open = await execute(
    inTransaction,
    `SELECT d.id FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE NOT d.is_won AND c.${kind}_id = $1`,
    [id],
  );
  return open.length > 0;
}
