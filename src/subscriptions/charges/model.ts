import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { Subscription } from '../model';

/** One attempt to be paid for one cycle. Its idempotency key names it at the provider for ever. */
export class Charge extends Model<InferAttributes<Charge>, InferCreationAttributes<Charge>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare subscriptionId: number;
  declare cycle: number;
  declare attempt: number;
  declare idempotencyKey: string;
  declare cardId: number;
  declare amountMinor: number;
  declare currency: string;
  declare status: 'open' | 'requires_action' | 'paid' | 'declined';
  declare reference: CreationOptional<string | null>;
  declare redirectUrl: CreationOptional<string | null>;
  declare declineReason: CreationOptional<string | null>;
  declare declineMessage: CreationOptional<string | null>;
  declare settledAt: CreationOptional<Date | null>;
  declare subscription?: Subscription;
}

Charge.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    subscriptionId: DataTypes.INTEGER,
    cycle: DataTypes.INTEGER,
    attempt: DataTypes.INTEGER,
    idempotencyKey: DataTypes.TEXT,
    cardId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    status: DataTypes.TEXT,
    reference: DataTypes.TEXT,
    redirectUrl: DataTypes.TEXT,
    declineReason: DataTypes.TEXT,
    declineMessage: DataTypes.TEXT,
    settledAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'charges' },
);

Charge.belongsTo(Subscription, { as: 'subscription', foreignKey: 'subscriptionId' });

/** How a charge stands, in words of its outcome. */
export type ChargeState = Pick<Charge, 'status' | 'declineReason' | 'declineMessage'>;

/** A charge with what its steps need besides: which card pays, and where its payer comes back to. */
export interface OpenedCharge extends ChargeState {
  id: number;
  subscriptionId: number;
  idempotencyKey: string;
  amountMinor: number;
  currency: string;
  subscriptionToken: string;
  returnUrl: string | null;
  cardToken: string;
}

// The setup fee belongs to the first cycle. On a conflict the row is touched, not changed, so that it is returned.
const openStatement = statement<OpenedCharge>(
  'charge_open',
  `WITH opened AS (
     INSERT INTO charges AS c (merchant_id, subscription_id, cycle, attempt, idempotency_key, card_id, amount_minor,
       currency, status)
     SELECT merchant_id, id, $2::int, $3::int, concat_ws(':', token, $2::int, $3::int), card_id,
       price_minor + CASE WHEN $2::int = 1 THEN setup_fee_minor ELSE 0 END, currency, 'open'
     FROM subscriptions WHERE id = $1
     ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key
     RETURNING c.*
   )
   SELECT o.id, o.subscription_id AS "subscriptionId", o.idempotency_key AS "idempotencyKey", o.status, o.currency,
     o.amount_minor AS "amountMinor", o.decline_reason AS "declineReason", o.decline_message AS "declineMessage",
     s.token AS "subscriptionToken", s.return_url AS "returnUrl", cards.token AS "cardToken"
   FROM opened o JOIN subscriptions s ON s.id = o.subscription_id JOIN cards ON cards.id = o.card_id`,
);

/**
 * The charge of an attempt, made on the first try and found on any other. One prepared statement: on the way to the
 * payer's event, `findOrCreate` with the reads around it is twelve, and 5 ms more.
 */
export async function openCharge(of: {
  subscriptionId: number;
  cycle: number;
  attempt: number;
}): Promise<OpenedCharge> {
  const [charge] = await openStatement([of.subscriptionId, of.cycle, of.attempt]);
  if (!charge) throw new Error(`there is no subscription ${of.subscriptionId}`);
  return charge;
}

/** What a provider's answer changes of a charge. */
export type Settlement = Pick<Charge, 'status'> &
  Partial<Pick<Charge, 'reference' | 'redirectUrl' | 'declineReason' | 'declineMessage' | 'settledAt'>>;

const settleStatement = statement<ChargeState>(
  'charge_settle',
  `UPDATE charges SET status = $3, reference = coalesce($4, reference), redirect_url = coalesce($5, redirect_url),
     decline_reason = $6, decline_message = $7, settled_at = $8
   WHERE id = $1 AND status = $2
   RETURNING status, decline_reason AS "declineReason", decline_message AS "declineMessage"`,
);

/** Once paid or declined a charge stays so: a row that is no longer as it was read is left, and answered as it is. */
export async function settleCharge(
  charge: OpenedCharge,
  to: Settlement,
  inTransaction?: Transaction,
): Promise<ChargeState & { isWritten: boolean }> {
  const { reference = null, redirectUrl = null, declineReason = null, declineMessage = null, settledAt = null } = to;
  const values = [
    charge.id,
    charge.status,
    to.status,
    reference,
    redirectUrl,
    declineReason,
    declineMessage,
    settledAt,
  ];
  const [written] = await settleStatement(values, inTransaction);
  if (written) return { ...written, isWritten: true };
  const found = await Charge.findByPk(charge.id, {
    rejectOnEmpty: true,
    ...(inTransaction && { transaction: inTransaction }),
  });
  return { ...found.get(), isWritten: false };
}

const paidStatement = statement<{ amountMinor: number; settledAt: Date | null }>(
  'charge_paid',
  `SELECT amount_minor AS "amountMinor", settled_at AS "settledAt" FROM charges
   WHERE subscription_id = $1 AND cycle = $2 AND status = 'paid'`,
);

export async function getPaidCharge(subscriptionId: number, cycle: number, inTransaction: Transaction) {
  const [charge] = await paidStatement([subscriptionId, cycle], inTransaction);
  if (!charge) throw new Error(`subscription ${subscriptionId} has no paid charge of cycle ${cycle}`);
  return charge;
}
