import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { creditRoom } from '../charges/cycles.model';

const lockSubscriptionsStatement = statement(
  'losses_lock_subscriptions',
  `SELECT FROM subscriptions s WHERE s.account_id = (SELECT account_id FROM charges WHERE id = $1) ORDER BY s.id FOR UPDATE`,
);

// Every open charge is locked, because a charge that takes credit at this moment shows the credit only after its commit. A
// payment inserts its charge without waiting for these locks.
const lockChargesStatement = statement(
  'losses_lock_charges',
  `SELECT FROM charges c WHERE c.account_id = (SELECT account_id FROM charges WHERE id = $1)
     AND (c.id = $1 OR c.balance_minor > 0 OR c.status IN ('open', 'requires_action', 'processing'))
   ORDER BY c.id FOR UPDATE`,
);

/** Locks all subscriptions of the customer of a charge. Each transaction that locks more than one locks them first. */
export async function lockSubscriptions(chargeId: number, inTransaction: Transaction): Promise<void> {
  await lockSubscriptionsStatement([chargeId], inTransaction);
}

/** Locks all subscriptions of the customer of a charge, then its charges. Losses and balances are locked later. */
export async function lockPeriods(chargeId: number, inTransaction: Transaction): Promise<void> {
  await lockSubscriptions(chargeId, inTransaction);
  await lockChargesStatement([chargeId], inTransaction);
}

/** Money that went back to the payer: a dispute or a refund. */
export type LossCause = { disputeId: number } | { refundId: number };

const idsOf = (cause: LossCause) => [
  'disputeId' in cause ? cause.disputeId : null,
  'refundId' in cause ? cause.refundId : null,
];

/** `own`: money of the charge itself has gone back. `balance`: the balance has paid this part with a credit that is lost. */
export type LossPart = 'own' | 'balance';

/** What a cause has taken from the charges, by the part. `cause`: the column of the losses and the id in a statement. */
export const lostBy = (cause: 'dispute_id = d.id' | 'refund_id = r.id', part: LossPart) =>
  `(SELECT coalesce(sum(l.amount_minor), 0) FROM credit_losses l WHERE l.${cause} AND l.part = '${part}')::bigint`;

/** A charge that is open, or that is paid without a step of its subscription after it: that step reads what is lost. */
const isAhead = `(c.status IN ('open', 'requires_action', 'processing') OR c.status = 'paid' AND NOT c.is_unused
  AND (s.state = 'incomplete' OR c.cycle > s.cycle OR c.cycle = s.cycle AND s.due_minor > 0))`;

/** A charge that has paid for the latest paid period of its subscription. */
const isOfPeriod = `(c.status = 'paid' AND c.reversed_at IS NULL AND NOT c.is_unused AND c.settled_at >= s.funded_from
  AND NOT ${isAhead})`;

const isRunning = `(${isOfPeriod} AND s.state NOT IN ('canceled', 'expired', 'incomplete_expired')
  AND s.current_period_end > merchant_now(c.merchant_id))`;

/** A charge that can lose a part. */
export interface LosingCharge {
  id: number;
  /** The part that the balance has paid, less what is lost already. */
  leftMinor: number;
  subscriptionId: number | null;
  /** Whether it has paid for the present period of its subscription. */
  isOfPeriod: boolean;
  /** The paid amount of this period. */
  paidMinor: number | null;
}

const columns = (ofPeriod: string) => `c.id, c.balance_minor - lost.minor AS "leftMinor",
    c.subscription_id AS "subscriptionId", coalesce(${ofPeriod}, false) AS "isOfPeriod", s.paid_minor AS "paidMinor"`;
const joined = `LEFT JOIN subscriptions s ON s.id = c.subscription_id
    CROSS JOIN LATERAL (SELECT coalesce(sum(l.amount_minor), 0)::bigint AS minor FROM credit_losses l
      WHERE l.charge_id = c.id AND l.part = 'balance') lost`;

const usingStatement = statement<LosingCharge>(
  'losses_using',
  `SELECT ${columns(isRunning)}
   FROM charges o JOIN charges c ON c.account_id = o.account_id AND c.currency = o.currency ${joined}
   WHERE o.id = $1 AND c.balance_minor > lost.minor AND c.reversed_at IS NULL AND (${isAhead} OR ${isRunning})
   ORDER BY c.id DESC`,
);

/** The charges of the customer of a charge that use its balance for a time that is not over, newest first. */
export const listUsing = (chargeId: number, inTransaction: Transaction) => usingStatement([chargeId], inTransaction);

const ownStatement = statement<LosingCharge>(
  'losses_own',
  `SELECT ${columns(isOfPeriod)} FROM charges c ${joined}
   WHERE c.id = $1 AND c.reversed_at IS NULL AND (${isAhead} OR ${isOfPeriod})`,
);

/** The charge itself. Undefined if it has paid for no present period and will pay for none. */
export async function findOwn(chargeId: number, inTransaction: Transaction): Promise<LosingCharge | undefined> {
  const [charge] = await ownStatement([chargeId], inTransaction);
  return charge;
}

const insertStatement = statement(
  'losses_insert',
  `WITH lost AS (
     INSERT INTO credit_losses (merchant_id, dispute_id, refund_id, charge_id, part, amount_minor, unpaid_minor)
     SELECT merchant_id, $1, $2, id, $4, $5, $5 FROM charges WHERE id = $3
   )
   UPDATE subscriptions SET paid_minor = greatest(0, paid_minor - $5) WHERE id = $6 AND $7`,
);

/** Writes a loss, and lowers the paid amount of the period that the charge has paid for. */
export async function insertLoss(
  cause: LossCause,
  { id, subscriptionId, isOfPeriod: lowersPeriod }: LosingCharge,
  { part, amountMinor }: { part: LossPart; amountMinor: number },
  inTransaction: Transaction,
): Promise<void> {
  await insertStatement([...idsOf(cause), id, part, amountMinor, subscriptionId, lowersPeriod], inTransaction);
}

/** Credit that the customer did not get because of a loss, which is undone now. */
export interface WithheldCredit {
  id: number;
  chargeId: number;
  accountId: number;
  currency: string;
  subscriptionId: number | null;
  withheldMinor: number;
  /** What the charge has paid for did not begin. Otherwise its plan has changed. */
  isUnused: boolean;
}

const undoStatement = statement<WithheldCredit>(
  'losses_undo',
  `WITH undone AS (DELETE FROM credit_losses WHERE dispute_id = $1 OR refund_id = $2 RETURNING *),
   paid AS (
     SELECT s.id, sum(u.unpaid_minor)::bigint AS minor
     FROM undone u JOIN charges c ON c.id = u.charge_id JOIN subscriptions s ON s.id = c.subscription_id
     WHERE ${isOfPeriod} GROUP BY s.id
   ),
   raised AS (UPDATE subscriptions s SET paid_minor = s.paid_minor + p.minor FROM paid p WHERE p.id = s.id AND p.minor > 0)
   SELECT u.id, c.id AS "chargeId", c.account_id AS "accountId", c.currency, c.subscription_id AS "subscriptionId",
     u.withheld_minor AS "withheldMinor", c.is_unused AS "isUnused"
   FROM undone u JOIN charges c ON c.id = u.charge_id WHERE u.withheld_minor > 0 ORDER BY u.id`,
);

/** Deletes the losses of a cause and raises the present periods again. Returns the credit that is left to move. */
export const undo = (cause: LossCause, inTransaction: Transaction) => undoStatement(idsOf(cause), inTransaction);

const creditedStatement = statement<{ creditedMinor: number }>(
  'losses_credit_charge',
  `WITH restored AS (SELECT c.id, least($2::bigint, ${creditRoom}) AS part FROM charges c WHERE c.id = $1)
   UPDATE charges c SET credited_minor = c.credited_minor + r.part FROM restored r WHERE c.id = r.id AND r.part > 0
   RETURNING r.part AS "creditedMinor"`,
);

/** Assigns a credit to its charge. Returns the part for which the charge has money. */
export async function creditCharge(chargeId: number, creditMinor: number, inTransaction: Transaction): Promise<number> {
  const [charge] = await creditedStatement([chargeId, creditMinor], inTransaction);
  return charge?.creditedMinor ?? 0;
}

/** A loss, and the part of it by which the period counts as unpaid. */
export interface Loss {
  id: number;
  unpaidMinor: number;
}

const ofPeriodStatement = statement<Loss>(
  'losses_of_period',
  `SELECT l.id, l.unpaid_minor AS "unpaidMinor"
   FROM charges c JOIN subscriptions s ON s.id = c.subscription_id JOIN credit_losses l ON l.charge_id = c.id
   WHERE c.subscription_id = $1 AND ${isOfPeriod} AND l.unpaid_minor > 0 ORDER BY l.id`,
);
const ofChargeStatement = statement<Loss>(
  'losses_of_charge',
  'SELECT id, unpaid_minor AS "unpaidMinor" FROM credit_losses WHERE charge_id = $1 AND unpaid_minor > 0 ORDER BY id',
);

/** The losses of the present period of a subscription. The subscription is locked. */
export const listOfPeriod = (subscriptionId: number, inTransaction: Transaction) =>
  ofPeriodStatement([subscriptionId], inTransaction);

export const listOfCharge = (chargeId: number, inTransaction: Transaction) =>
  ofChargeStatement([chargeId], inTransaction);

const divideStatement = statement(
  'losses_divide',
  `UPDATE credit_losses l SET unpaid_minor = d.unpaid, withheld_minor = l.withheld_minor + d.withheld
   FROM unnest($1::int[], $2::bigint[], $3::bigint[]) d (id, unpaid, withheld) WHERE l.id = d.id`,
);

/** Replaces the unpaid part of each loss by a new one and by withheld credit. The subscription is locked. */
export async function divideLosses(
  losses: readonly Loss[],
  { unpaid, withheld }: { unpaid: readonly number[]; withheld: readonly number[] },
  inTransaction: Transaction,
): Promise<void> {
  await divideStatement([losses.map(({ id }) => id), unpaid, withheld], inTransaction);
}

const unusedStatement = statement('losses_unused_charge', 'UPDATE charges SET is_unused = true WHERE id = $1');
const withholdStatement = statement<{ withheldMinor: number }>(
  'losses_withhold',
  `UPDATE credit_losses SET withheld_minor = withheld_minor + unpaid_minor, unpaid_minor = 0
   WHERE charge_id = $1 AND part = 'balance' RETURNING withheld_minor AS "withheldMinor"`,
);

/** What a charge has paid for does not begin. Returns the part of its balance that is lost. The charge is locked. */
export async function markUnused(chargeId: number, inTransaction: Transaction): Promise<number> {
  await unusedStatement([chargeId], inTransaction);
  const losses = await withholdStatement([chargeId], inTransaction);
  return losses.reduce((sum, { withheldMinor }) => sum + withheldMinor, 0);
}

const deleteStatement = statement('losses_delete', 'DELETE FROM credit_losses WHERE charge_id = $1');

/** A declined charge has lost nothing, because it returns its whole part to the balance. The charge is locked. */
export async function deleteLosses(chargeId: number, inTransaction: Transaction): Promise<void> {
  await deleteStatement([chargeId], inTransaction);
}
