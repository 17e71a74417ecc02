import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

const lockSubscriptionsStatement = statement(
  'losses_lock_subscriptions',
  `SELECT FROM subscriptions s WHERE s.account_id = (SELECT account_id FROM charges WHERE id = $1) ORDER BY s.id FOR UPDATE`,
);

// Every open charge is locked, because a charge that takes credit at this moment shows the credit only after its commit. A
// payment inserts its charge without waiting for these locks.
const lockChargesStatement = statement(
  'losses_lock_charges',
  `SELECT FROM charges c WHERE c.account_id = (SELECT account_id FROM charges WHERE id = $1)
     AND (c.id = $1 OR c.lost_minor > 0 OR c.balance_minor > 0 OR c.status IN ('open', 'requires_action', 'processing'))
   ORDER BY c.id FOR UPDATE`,
);

/** Locks all subscriptions of the customer of a charge. Each transaction that locks more than one locks them first. */
export async function lockSubscriptions(chargeId: number, inTransaction: Transaction): Promise<void> {
  await lockSubscriptionsStatement([chargeId], inTransaction);
}

/** Locks all subscriptions of the customer of a charge, then its charges. Balances are locked later. */
export async function lockPeriods(chargeId: number, inTransaction: Transaction): Promise<void> {
  await lockSubscriptions(chargeId, inTransaction);
  await lockChargesStatement([chargeId], inTransaction);
}

/** A charge that used the balance of the customer. */
export interface UsingCharge {
  id: number;
  /** The part that the balance has paid, less what is lost already. */
  leftMinor: number;
  lostMinor: number;
  subscriptionId: number | null;
  /** Whether it has paid for the running period of its subscription. */
  isRunning: boolean;
  /** The paid amount of the running period. */
  paidMinor: number | null;
}

/** A charge that is open, or that is paid without a step of its subscription after it: that step reads what is lost. */
const isAhead = `(c.status IN ('open', 'requires_action', 'processing')
  OR c.status = 'paid' AND (s.state = 'incomplete' OR c.cycle > s.cycle OR c.cycle = s.cycle AND s.due_minor > 0))`;

const isRunning = `(c.status = 'paid' AND c.reversed_at IS NULL AND c.settled_at >= s.funded_from AND NOT ${isAhead}
  AND s.state NOT IN ('canceled', 'expired', 'incomplete_expired') AND s.current_period_end > merchant_now(c.merchant_id))`;

const chargesOf = (condition: string) => `
  SELECT c.id, c.balance_minor - c.lost_minor AS "leftMinor", c.lost_minor AS "lostMinor",
    c.subscription_id AS "subscriptionId", coalesce(${isRunning}, false) AS "isRunning", s.paid_minor AS "paidMinor"
  FROM charges o JOIN charges c ON c.account_id = o.account_id AND c.currency = o.currency
    LEFT JOIN subscriptions s ON s.id = c.subscription_id
  WHERE o.id = $1 AND ${condition} ORDER BY c.id DESC`;

const usingStatement = statement<UsingCharge>(
  'losses_using',
  chargesOf(`c.balance_minor > c.lost_minor AND c.reversed_at IS NULL AND (${isAhead} OR ${isRunning})`),
);
const lostStatement = statement<UsingCharge>('losses_lost', chargesOf('c.lost_minor > 0'));

/** The charges of the customer of a charge that use its balance for a time that is not over, newest first. */
export const listUsing = (chargeId: number, inTransaction: Transaction) => usingStatement([chargeId], inTransaction);

/** The charges of the same customer that have lost a part, newest first. */
export const listLost = (chargeId: number, inTransaction: Transaction) => lostStatement([chargeId], inTransaction);

const loseStatement = statement(
  'losses_lose',
  `WITH lost AS (UPDATE charges SET lost_minor = lost_minor + $2 WHERE id = $1 RETURNING subscription_id)
   UPDATE subscriptions s SET paid_minor = greatest(0, s.paid_minor - $2) FROM lost
   WHERE s.id = lost.subscription_id AND $3`,
);

/** Raises what a charge has lost, and lowers the paid amount of its running period. A negative amount does the reverse. */
export async function lose(
  { id, isRunning: isOfPeriod }: UsingCharge,
  amountMinor: number,
  inTransaction: Transaction,
): Promise<void> {
  await loseStatement([id, amountMinor, isOfPeriod], inTransaction);
}

const limitStatement = statement(
  'losses_limit',
  'UPDATE charges SET lost_minor = $2 WHERE id = $1 AND lost_minor > $2',
);

/** Lowers what a charge has lost to a maximum. The subscription is locked. */
export async function limitLost(chargeId: number, maxMinor: number, inTransaction: Transaction): Promise<void> {
  await limitStatement([chargeId, maxMinor], inTransaction);
}
