import { type FindOptions } from 'sequelize';
import {
  bigint,
  boolean,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { taxColumns, type JoinedTax } from '../../tax/chargeTaxes.model';
import { lockPeriods } from './losses.model';

/**
 * A refund of a charge. After the insert, only its workflow writes `state`, except for refunds made at the provider.
 */
export class Refund extends modelOf({
  id: serial(),
  /** `R-<random>`; the idempotency key of the refund at the provider. */
  token: text(),
  merchantId: integer(),
  /** The customer who gets the refund. */
  accountId: integer(),
  chargeId: integer(),
  amountMinor: bigint(),
  currency: char(3),
  revokeAccess: boolean(),
  /** `pending`: the provider has accepted the refund, and the customer's bank has not confirmed it. */
  state: text<'open' | 'pending' | 'refunded' | 'failed'>(),
  /** The account that requested the refund. */
  requestedBy: integer(),
  /** The provider's id of the refund. */
  reference: nullable(text()),
  failureReason: nullable(text()),
  failureMessage: nullable(text()),
  settledAt: nullable(time()),
  /** The credit that the refund took back. */
  creditMinor: defaulted(bigint()),
  /** The credit that was in use when the provider reported the refund, and that the refund has paid out as well. */
  excessMinor: defaulted(bigint()),
  createdAt: defaulted(time()),
}) {}
Refund.init(Refund.columns, { sequelize, tableName: 'refunds' });

export interface RefundableCharge extends JoinedTax {
  id: number;
  status: 'open' | 'requires_action' | 'processing' | 'paid' | 'declined';
  accountId: number;
  cycle: number;
  trxToken: string;
  idempotencyKey: string;
  reference: string | null;
  amountMinor: number;
  /** Refunded, or reserved for a refund. */
  refundedMinor: number;
  /** The part of the amount that was turned into credit, whether or not it is used. */
  creditedMinor: number;
  /** The part of the due amount that the balance paid. */
  balanceMinor: number;
  currency: string;
  isGift: boolean;
  merchantId: number;
  /** The account that has the money; null if the charge had no card. */
  provider: string | null;
}

const chargeColumns = `c.id, c.status, c.account_id AS "accountId", c.cycle, c.trx_token AS "trxToken", c.idempotency_key AS "idempotencyKey", c.reference,
  c.amount_minor AS "amountMinor", c.refunded_minor AS "refundedMinor", c.credited_minor AS "creditedMinor",
  c.balance_minor AS "balanceMinor", c.currency, coalesce(p.is_gift, false) AS "isGift",
  c.merchant_id AS "merchantId", cards.provider, ${taxColumns}
  FROM charges c LEFT JOIN payments p ON p.id = c.payment_id LEFT JOIN cards ON cards.id = c.card_id
    LEFT JOIN charge_taxes t ON t.charge_id = c.id`;

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

const ofCycleStatement = statement<RefundableCharge>(
  'refund_charges_of_cycle',
  `SELECT ${chargeColumns} WHERE c.subscription_id = $1 AND c.cycle = $2 AND c.status = 'paid'
     AND c.reversed_at IS NULL`,
);

export function listPaidOfCycle(
  inTransaction: Transaction,
  subscriptionId: number,
  cycle: number,
): Promise<RefundableCharge[]> {
  return ofCycleStatement([subscriptionId, cycle], inTransaction);
}

const unservedStatement = statement<RefundableCharge>(
  'refund_charges_unserved',
  `SELECT ${chargeColumns} JOIN accounts a ON a.id = c.account_id
   WHERE c.account_id = $1 AND c.status = 'paid' AND c.known_at >= a.erasing_at AND c.refunded_minor < c.amount_minor
     AND p.is_gift IS NOT TRUE
   ORDER BY c.id`,
);

/** The charges of an account that were paid after its erasure began, so that the customer received nothing for them. */
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

const lockSubscriptionStatement = statement(
  'refund_lock_subscription',
  `SELECT FROM subscriptions WHERE id = (SELECT subscription_id FROM charges WHERE id = $1) FOR UPDATE`,
);
const lockChargeStatement = statement('refund_lock_charge', 'SELECT FROM charges WHERE id = $1 FOR UPDATE');

/** Locks the subscription before the charge, in the order of the lifecycle steps; the balance is locked last. */
async function lockCharge(inTransaction: Transaction, chargeId: number): Promise<void> {
  await lockSubscriptionStatement([chargeId], inTransaction);
  await lockChargeStatement([chargeId], inTransaction);
}

/** Locks and lists the refunds of a charge. The periods are locked after them, in the order of a refund's settlement. */
export async function lockRefunds(inTransaction: Transaction, chargeId: number): Promise<Refund[]> {
  const of = { where: { chargeId }, order: [['id', 'ASC']], transaction: inTransaction } satisfies FindOptions;
  await Refund.findAll({ ...of, lock: inTransaction.LOCK.UPDATE });
  await lockPeriods(chargeId, inTransaction);
  return Refund.findAll(of);
}

const keepMoneyStatement = statement(
  'refund_keep_money',
  'UPDATE charges SET refunded_minor = $2, credited_minor = $3 WHERE id = $1',
);

/** Locks a charge and returns its current amounts. */
export async function lockMoney(chargeId: number, inTransaction: Transaction): Promise<RefundableCharge> {
  await lockCharge(inTransaction, chargeId);
  return getChargeOf({ chargeId }, inTransaction);
}

export async function keepMoney(
  { id, refundedMinor, creditedMinor }: Pick<RefundableCharge, 'id' | 'refundedMinor' | 'creditedMinor'>,
  inTransaction: Transaction,
): Promise<void> {
  await keepMoneyStatement([id, refundedMinor, creditedMinor], inTransaction);
}

const merchantEmailStatement = statement<{ email: string }>(
  'refund_merchant_email',
  'SELECT email FROM accounts WHERE id = $1',
);

export async function getMerchantEmail(merchantId: number, inTransaction: Transaction): Promise<string> {
  const [account] = await merchantEmailStatement([merchantId], inTransaction);
  if (!account) throw new Error(`there is no merchant ${merchantId}`);
  return account.email;
}

const sumStatement = statement<{ given: number }>(
  'refund_sum',
  `SELECT coalesce(sum(amount_minor), 0)::bigint AS given FROM refunds WHERE charge_id = $1 AND state = 'refunded'`,
);

/** The total of a charge's refunds that have succeeded. */
export async function sumRefunded(chargeId: number, inTransaction: Transaction): Promise<number> {
  const [sum] = await sumStatement([chargeId], inTransaction);
  return sum?.given ?? 0;
}
