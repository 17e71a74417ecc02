import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type WhenOwned } from '../../items/accessFees/model';
import { type Device } from '../model';

export type PaymentState = 'incomplete' | 'paid' | 'failed';

/** A one-time payment. Its workflow is the only writer of `state` after the row is made. */
export class Payment extends Model<InferAttributes<Payment>, InferCreationAttributes<Payment>> {
  declare id: CreationOptional<number>;
  /** The wire's `transaction`: `C-<random>-<provider>`. */
  declare token: string;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: number;
  /** None where nothing is to be paid. */
  declare cardId: number | null;
  declare state: PaymentState;
  /** `subscription`: a gift of its first period. */
  declare accessType: 'ppv' | 'ppv_custom' | 'subscription';
  declare periodQuantity: number;
  declare period: 'hour' | 'day' | 'week' | 'month' | 'year';
  /** The fee's fixed date, of `ppv_custom`. */
  declare accessEndsAt: CreationOptional<Date | null>;
  /** The fee's rule when it was bought, for who has access already; null: it follows on access to the same item. */
  declare whenOwned: CreationOptional<WhenOwned | null>;
  declare priceMinor: number;
  declare setupFeeMinor: number;
  /** What the card pays: the price after the voucher, and the setup fee. */
  declare chargedMinor: number;
  declare currency: string;
  declare voucherId: CreationOptional<number | null>;
  declare voucherCode: CreationOptional<string>;
  declare discountPercent: CreationOptional<number | null>;
  declare rebillPercent: CreationOptional<number | null>;
  declare discountPeriod: CreationOptional<'once' | 'repeating' | 'forever' | null>;
  declare discountDuration: CreationOptional<number | null>;
  declare isGift: CreationOptional<boolean>;
  declare receiverEmail: CreationOptional<string | null>;
  /** Of a gift: the day on which it is mailed; null: at once. */
  declare deliverOn: CreationOptional<Date | null>;
  declare environment: string;
  /** The brand that it was bought in; it need not exist. */
  declare brandingId: CreationOptional<number | null>;
  declare referrer: CreationOptional<string>;
  declare returnUrl: CreationOptional<string | null>;
  declare ipAddress: CreationOptional<string>;
  /** Where the buyer was; '' where nobody knows. */
  declare countryIso: CreationOptional<string>;
  /** On what it was bought; null where nobody knows. */
  declare device: CreationOptional<Device | null>;
  declare failureReason: CreationOptional<string | null>;
  declare failureMessage: CreationOptional<string | null>;
  declare paidAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

Payment.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    token: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    cardId: DataTypes.INTEGER,
    state: DataTypes.TEXT,
    accessType: DataTypes.TEXT,
    periodQuantity: DataTypes.INTEGER,
    period: DataTypes.TEXT,
    accessEndsAt: DataTypes.DATE,
    whenOwned: DataTypes.TEXT,
    priceMinor: DataTypes.BIGINT,
    setupFeeMinor: DataTypes.BIGINT,
    chargedMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    voucherId: DataTypes.INTEGER,
    voucherCode: DataTypes.TEXT,
    discountPercent: DataTypes.INTEGER,
    rebillPercent: DataTypes.INTEGER,
    discountPeriod: DataTypes.TEXT,
    discountDuration: DataTypes.INTEGER,
    isGift: DataTypes.BOOLEAN,
    receiverEmail: DataTypes.TEXT,
    deliverOn: DataTypes.DATE,
    environment: DataTypes.TEXT,
    brandingId: DataTypes.INTEGER,
    referrer: DataTypes.TEXT,
    returnUrl: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    countryIso: DataTypes.TEXT,
    device: DataTypes.JSONB,
    failureReason: DataTypes.TEXT,
    failureMessage: DataTypes.TEXT,
    paidAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'payments' },
);

/**
 * Of two equal submissions this close together, the second is the first once more: a double click, a lost answer. One
 * with an Idempotency-Key says by it which it is.
 */
const sameWithinSeconds = 10;

const lockStatement = statement('payment_lock', 'SELECT pg_advisory_xact_lock($1, $2)');
const sameStatement = statement<{ id: number; token: string; state: PaymentState }>(
  'payment_same',
  `SELECT id, token, state FROM payments
   WHERE account_id = $1 AND access_fee_id = $2 AND receiver_email IS NOT DISTINCT FROM $3
     AND (state = 'incomplete' OR state = 'paid' AND NOT $4 AND updated_at > now() - interval '${sameWithinSeconds} seconds')
   ORDER BY id DESC LIMIT 1`,
);

/**
 * The payment that a submission repeats: one of the same account, fee and receiver that is not decided yet, or that was
 * paid a moment ago. Until the commit no other submission of the same looks.
 */
export async function findSamePayment(
  accountId: number,
  order: { fee: { id: number }; receiverEmail: string | null; hasKey: boolean },
  inTransaction: Transaction,
) {
  const { fee, receiverEmail, hasKey } = order;
  await lockStatement([accountId, fee.id], inTransaction);
  const [same] = await sameStatement([accountId, fee.id, receiverEmail, hasKey], inTransaction);
  return same;
}

const waitingStatement = statement<{ id: number; token: string }>(
  'payment_waiting',
  `SELECT p.id, p.token FROM payments p JOIN charges c ON c.payment_id = p.id
   WHERE p.account_id = $1 AND p.access_fee_id = $2 AND p.receiver_email IS NOT DISTINCT FROM $3
     AND p.state = 'incomplete' AND c.status = 'requires_action'
     AND p.created_at <= now() - interval '${sameWithinSeconds} seconds'`,
);

/** The payment of the same that has waited for its payer for a while. */
export async function findWaitingPayment(
  accountId: number,
  { fee, receiverEmail }: { fee: { id: number }; receiverEmail: string | null },
) {
  const [waiting] = await waitingStatement([accountId, fee.id, receiverEmail]);
  return waiting;
}
