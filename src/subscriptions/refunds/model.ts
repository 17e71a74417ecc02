import {
  DataTypes,
  Model,
  type CreationOptional,
  type FindOptions,
  type InferAttributes,
  type InferCreationAttributes,
} from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** Money that goes back. Its workflow is the only writer of `state` after the row is made. */
export class Refund extends Model<InferAttributes<Refund>, InferCreationAttributes<Refund>> {
  declare id: CreationOptional<number>;
  /** `R-<random>`; names the refund at the provider for ever. */
  declare token: string;
  declare merchantId: number;
  /** Whose money it is. */
  declare accountId: number;
  declare chargeId: number;
  declare amountMinor: number;
  declare currency: string;
  declare revokeAccess: boolean;
  declare state: 'open' | 'refunded' | 'failed';
  /** The account that asked for it. */
  declare requestedBy: number;
  declare reference: CreationOptional<string | null>;
  declare failureReason: CreationOptional<string | null>;
  declare failureMessage: CreationOptional<string | null>;
  declare settledAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
}

Refund.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    chargeId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    revokeAccess: DataTypes.BOOLEAN,
    state: DataTypes.TEXT,
    requestedBy: DataTypes.INTEGER,
    reference: DataTypes.TEXT,
    failureReason: DataTypes.TEXT,
    failureMessage: DataTypes.TEXT,
    settledAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'refunds' },
);

export interface RefundableCharge {
  id: number;
  accountId: number;
  cycle: number;
  trxToken: string;
  idempotencyKey: string;
  reference: string | null;
  amountMinor: number;
  /** Given back, or about to be. */
  refundedMinor: number;
  currency: string;
  isGift: boolean;
}

const chargeColumns = `c.id, c.account_id AS "accountId", c.cycle, c.trx_token AS "trxToken", c.idempotency_key AS "idempotencyKey", c.reference,
  c.amount_minor AS "amountMinor", c.refunded_minor AS "refundedMinor", c.currency, coalesce(p.is_gift, false) AS "isGift"
  FROM charges c LEFT JOIN payments p ON p.id = c.payment_id`;

const paidStatement = statement<RefundableCharge>(
  'refund_charge_by_token',
  `SELECT ${chargeColumns} WHERE c.merchant_id = $1 AND c.trx_token = $2 AND c.status = 'paid'`,
);
const chargeStatement = statement<RefundableCharge>('refund_charge', `SELECT ${chargeColumns} WHERE c.id = $1`);

export async function findRefundableCharge(merchantId: number, trxToken: string) {
  const [charge] = await paidStatement([merchantId, trxToken]);
  return charge;
}

const ofPaymentStatement = statement<RefundableCharge>(
  'refund_charge_of_payment',
  `SELECT ${chargeColumns} WHERE c.payment_id = $1 AND c.status = 'paid'`,
);

export async function findChargeOfPayment(inTransaction: Transaction, paymentId: number): Promise<RefundableCharge> {
  const [charge] = await ofPaymentStatement([paymentId], inTransaction);
  if (!charge) throw new Error(`payment ${paymentId} has no paid charge`);
  return charge;
}

const unservedStatement = statement<RefundableCharge>(
  'refund_charges_unserved',
  `SELECT ${chargeColumns} JOIN accounts a ON a.id = c.account_id
   WHERE c.account_id = $1 AND c.status = 'paid' AND c.known_at >= a.erasing_at AND c.refunded_minor < c.amount_minor
     AND p.is_gift IS NOT TRUE
   ORDER BY c.id`,
);

/** What an account has paid, without being given anything for it: the money was there when its erasure had begun. */
export function listUnservedCharges(accountId: number): Promise<RefundableCharge[]> {
  return unservedStatement([accountId]);
}

export async function getChargeOf(
  { chargeId }: Pick<Refund, 'chargeId'>,
  inTransaction?: Transaction,
): Promise<RefundableCharge> {
  const [charge] = await chargeStatement([chargeId], inTransaction);
  if (!charge) throw new Error(`there is no charge ${chargeId}`);
  return charge;
}

const lockChargeStatement = statement('refund_lock_charge', 'SELECT FROM charges WHERE id = $1 FOR UPDATE');

/** Every refund of a charge; until the commit nobody settles or adds one. The charge comes last, as with who settles one. */
export async function lockRefunds(inTransaction: Transaction, chargeId: number): Promise<Refund[]> {
  const of = { where: { chargeId }, order: [['id', 'ASC']], transaction: inTransaction } satisfies FindOptions;
  await Refund.findAll({ ...of, lock: inTransaction.LOCK.UPDATE });
  await lockChargeStatement([chargeId], inTransaction);
  return Refund.findAll(of);
}

const reserveStatement = statement<{ refunded: number }>(
  'refund_reserve',
  `UPDATE charges SET refunded_minor = refunded_minor + $2 WHERE id = $1 AND refunded_minor + $2 <= amount_minor
   RETURNING refunded_minor AS refunded`,
);
const releaseStatement = statement(
  'refund_release',
  'UPDATE charges SET refunded_minor = refunded_minor - $2 WHERE id = $1',
);

/**
 * Sets an amount of a charge aside, so that parallel refunds never exceed it. Answers what is given back of it now, or
 * about to be; undefined: so much is not left.
 */
export async function reserveAmount(
  chargeId: number,
  amountMinor: number,
  inTransaction: Transaction,
): Promise<number | undefined> {
  const [reserved] = await reserveStatement([chargeId, amountMinor], inTransaction);
  return reserved?.refunded;
}

export async function releaseAmount(chargeId: number, amountMinor: number, inTransaction: Transaction): Promise<void> {
  await releaseStatement([chargeId, amountMinor], inTransaction);
}

const sumStatement = statement<{ given: number }>(
  'refund_sum',
  `SELECT coalesce(sum(amount_minor), 0)::bigint AS given FROM refunds WHERE charge_id = $1 AND state = 'refunded'`,
);

/** What went back of a charge so far. */
export async function sumRefunded(chargeId: number, inTransaction: Transaction): Promise<number> {
  const [sum] = await sumStatement([chargeId], inTransaction);
  return sum?.given ?? 0;
}

const lowerStatement = statement(
  'refund_lower_paid',
  `UPDATE subscriptions s SET paid_minor = greatest(0, s.paid_minor - $2) FROM charges c
   WHERE c.id = $1 AND s.id = c.subscription_id AND c.settled_at >= s.current_period_start`,
);

/** What went back of the running period is not paid any more: a change of plans gives no credit for it. */
export async function lowerPaid(chargeId: number, amountMinor: number, inTransaction: Transaction): Promise<void> {
  await lowerStatement([chargeId, amountMinor], inTransaction);
}
