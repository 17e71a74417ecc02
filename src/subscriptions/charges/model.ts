import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Subscription, type SubscriptionState } from '../model';
import { type PaymentState } from '../payments/model';

/** One attempt to be paid, for a subscription's cycle or for a payment. Its idempotency key names it at the provider for ever. */
export class Charge extends Model<InferAttributes<Charge>, InferCreationAttributes<Charge>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  /** This or `paymentId`. */
  declare subscriptionId: CreationOptional<number | null>;
  declare paymentId: CreationOptional<number | null>;
  declare cycle: number;
  declare attempt: number;
  declare idempotencyKey: string;
  /** The key as it reads in a path. */
  declare trxToken: CreationOptional<string>;
  /** None where there was nothing to pay. */
  declare cardId: number | null;
  declare amountMinor: number;
  declare currency: string;
  declare status: 'open' | 'requires_action' | 'paid' | 'declined';
  declare reference: CreationOptional<string | null>;
  declare redirectUrl: CreationOptional<string | null>;
  declare declineReason: CreationOptional<string | null>;
  declare declineMessage: CreationOptional<string | null>;
  /** Whether a later try may succeed. */
  declare declineClass: CreationOptional<'soft' | 'hard' | 'later' | null>;
  declare settledAt: CreationOptional<Date | null>;
  /** Given back, or about to be. */
  declare refundedMinor: CreationOptional<number>;
}

Charge.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    subscriptionId: DataTypes.INTEGER,
    paymentId: DataTypes.INTEGER,
    cycle: DataTypes.INTEGER,
    attempt: DataTypes.INTEGER,
    idempotencyKey: DataTypes.TEXT,
    trxToken: DataTypes.TEXT,
    cardId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    status: DataTypes.TEXT,
    reference: DataTypes.TEXT,
    redirectUrl: DataTypes.TEXT,
    declineReason: DataTypes.TEXT,
    declineMessage: DataTypes.TEXT,
    declineClass: DataTypes.TEXT,
    settledAt: DataTypes.DATE,
    refundedMinor: DataTypes.BIGINT,
  },
  { sequelize, tableName: 'charges' },
);

/** How a charge stands, in words of its outcome. */
export type ChargeState = Pick<Charge, 'status' | 'declineReason' | 'declineMessage' | 'declineClass'>;

/** A charge with what its steps need besides: what it is for, which card pays, and where its payer comes back to. */
export interface OpenedCharge extends ChargeState {
  id: number;
  kind: 'subscription' | 'payment';
  purchaseToken: string;
  idempotencyKey: string;
  amountMinor: number;
  currency: string;
  returnUrl: string | null;
  /** None where there is nothing to pay. */
  cardToken: string | null;
  accountIsErased: boolean;
  hasVoucher: boolean;
  reference: string | null;
  /** This is the first time that anybody asks for it: nothing has been sent. */
  isNew: boolean;
  openedAt: Date;
  /** What it is for has begun already: its payer is not there. */
  isRenewal: boolean;
}

/** What a subscription's charges are computed from: its price, and the discount it was bought with. */
export type PriceTerms = Pick<
  Subscription,
  | 'priceMinor'
  | 'setupFeeMinor'
  | 'currency'
  | 'discountPercent'
  | 'rebillPercent'
  | 'discountPeriod'
  | 'discountDuration'
>;

const termsStatement = statement<PriceTerms>(
  'charge_terms',
  `SELECT price_minor AS "priceMinor", setup_fee_minor AS "setupFeeMinor", currency,
     discount_percent AS "discountPercent", rebill_percent AS "rebillPercent", discount_period AS "discountPeriod",
     discount_duration AS "discountDuration"
   FROM subscriptions WHERE id = $1`,
);

export async function getPriceTerms(subscriptionId: number): Promise<PriceTerms> {
  const [terms] = await termsStatement([subscriptionId]);
  if (!terms) throw new Error(`there is no subscription ${subscriptionId}`);
  return terms;
}

// On a conflict the row is touched, not changed, so that it is returned: the first amount stands. Of an erased account
// there are no new ones, but what was charged is still known.
const openedBy = (kind: OpenedCharge['kind'], wanted: string) => `
  WITH wanted AS (${wanted}),
  opened AS (
    INSERT INTO charges AS c (merchant_id, account_id, ${kind}_id, cycle, attempt, idempotency_key, card_id, amount_minor,
      currency, status, created_at)
    SELECT w.* FROM wanted w JOIN accounts a ON a.id = w.account_id WHERE a.erased_at IS NULL
    ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key
    RETURNING c.*, c.xmax = 0 AS is_new
  ),
  known AS (
    SELECT * FROM opened
    UNION ALL SELECT c.*, false FROM charges c JOIN wanted USING (idempotency_key) WHERE NOT EXISTS (SELECT FROM opened)
  )
  SELECT o.id, o.reference, o.is_new AS "isNew", o.opened_at AS "openedAt", '${kind}' AS kind, p.token AS "purchaseToken", o.idempotency_key AS "idempotencyKey", o.status, o.currency,
    o.amount_minor AS "amountMinor", o.decline_reason AS "declineReason", o.decline_message AS "declineMessage",
    o.decline_class AS "declineClass", p.return_url AS "returnUrl", cards.token AS "cardToken",
    a.erasing_at IS NOT NULL AS "accountIsErased", p.voucher_id IS NOT NULL AS "hasVoucher",
    p.state <> 'incomplete' AS "isRenewal"
  FROM known o JOIN ${kind}s p ON p.id = o.${kind}_id JOIN accounts a ON a.id = o.account_id
    LEFT JOIN cards ON cards.id = o.card_id`;

const openCycleStatement = statement<OpenedCharge>(
  'charge_open_cycle',
  openedBy(
    'subscription',
    `SELECT merchant_id, account_id, id, $2::int, $3::int, concat_ws(':', token, $2::int, $3::int) AS idempotency_key,
       card_id, $4::bigint, currency, 'open', coalesce($5, merchant_now(merchant_id))
     FROM subscriptions WHERE id = $1`,
  ),
);

const openPaymentStatement = statement<OpenedCharge>(
  'charge_open_payment',
  openedBy(
    'payment',
    `SELECT merchant_id, account_id, id, 1, 1, token AS idempotency_key, card_id, charged_minor, currency, 'open', merchant_now(merchant_id)
     FROM payments WHERE id = $1`,
  ),
);

export type ChargeName =
  | { subscriptionId: number; cycle: number; attempt: number; amountMinor: number; atMs?: number }
  | { paymentId: number };

/**
 * The charge of an attempt, made on the first try and found on any other; none is made for an erased account, and then
 * there may be none. One prepared statement: on the way to the
 * payer's event, `findOrCreate` with the reads around it is twelve, and 5 ms more.
 */
export async function openCharge(of: ChargeName): Promise<OpenedCharge | undefined> {
  const [charge] =
    'paymentId' in of
      ? await openPaymentStatement([of.paymentId])
      : await openCycleStatement([of.subscriptionId, of.cycle, of.attempt, of.amountMinor, instant(of.atMs)]);
  return charge;
}

const instant = (atMs: number | undefined) => (atMs === undefined ? null : new Date(atMs));

/** What a charge is for, of either kind. */
export type Purchase = {
  id: number;
  token: string;
  merchantId: number;
  accountId: number;
  itemId: number;
  accessFeeId: number;
  referrer: string;
  brandingId: number | null;
} & ({ kind: 'subscription'; state: SubscriptionState } | { kind: 'payment'; state: PaymentState });

const purchaseStatement = statement<Purchase>(
  'charge_purchase',
  `SELECT CASE WHEN c.payment_id IS NULL THEN 'subscription' ELSE 'payment' END AS kind, coalesce(s.id, p.id) AS id,
     coalesce(s.token, p.token) AS token, c.merchant_id AS "merchantId",
     coalesce(s.account_id, p.account_id) AS "accountId", coalesce(s.item_id, p.item_id) AS "itemId",
     c.access_fee_id AS "accessFeeId", coalesce(s.state, p.state) AS state,
     coalesce(s.referrer, p.referrer) AS referrer, coalesce(s.branding_id, p.branding_id) AS "brandingId"
   FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
   WHERE c.id = $1`,
);

export async function getPurchase(chargeId: number, inTransaction?: Transaction): Promise<Purchase> {
  const [purchase] = await purchaseStatement([chargeId], inTransaction);
  if (!purchase) throw new Error(`there is no charge ${chargeId}`);
  return purchase;
}

export type ChargedPurchase = Purchase & { chargeId: number };

/** What the charge of a provider's reference is for. */
export async function findPurchase(reference: string): Promise<ChargedPurchase | undefined> {
  const charge = await Charge.findOne({ where: { reference } });
  return charge ? { ...(await getPurchase(charge.id)), chargeId: charge.id } : undefined;
}

/** What a provider's answer changes of a charge. */
export type Settlement = Pick<Charge, 'status'> &
  Partial<
    Pick<Charge, 'reference' | 'redirectUrl' | 'declineReason' | 'declineMessage' | 'declineClass' | 'settledAt'>
  >;

// The card of a first charge becomes the default of its currency once it has paid, unless a newer one is that by then.
const settleStatement = statement<ChargeState>(
  'charge_settle',
  `WITH settled AS (
     UPDATE charges SET status = $3, reference = coalesce($4, reference), redirect_url = coalesce($5, redirect_url),
       decline_reason = $6, decline_message = $7, decline_class = $9,
       settled_at = CASE WHEN $3 IN ('paid', 'declined') THEN coalesce($8, merchant_now(merchant_id)) END,
       known_at = CASE WHEN $3 IN ('paid', 'declined') THEN now() END
     WHERE id = $1 AND status = $2
     RETURNING merchant_id, account_id, card_id, currency, cycle, status, decline_reason, decline_message, decline_class
   ),
   proved AS (
     INSERT INTO default_cards AS d (merchant_id, account_id, currency, card_id)
     SELECT s.merchant_id, s.account_id, s.currency, s.card_id FROM settled s JOIN accounts a ON a.id = s.account_id
     WHERE s.status = 'paid' AND s.cycle = 1 AND s.card_id IS NOT NULL AND a.erasing_at IS NULL
     ON CONFLICT (account_id, currency) DO UPDATE SET card_id = excluded.card_id, updated_at = now()
       WHERE d.card_id < excluded.card_id
   )
   SELECT status, decline_reason AS "declineReason", decline_message AS "declineMessage",
     decline_class AS "declineClass" FROM settled`,
);

/** Once paid or declined a charge stays so: a row that is no longer as it was read is left, and answered as it is. */
export async function settleCharge(
  charge: OpenedCharge,
  to: Settlement,
  inTransaction?: Transaction,
): Promise<ChargeState & { isWritten: boolean }> {
  const { reference = null, redirectUrl = null, declineReason = null, declineMessage = null, settledAt = null } = to;
  const { declineClass = null } = to;
  const values = [
    charge.id,
    charge.status,
    to.status,
    reference,
    redirectUrl,
    declineReason,
    declineMessage,
    settledAt,
    declineClass,
  ];
  const [written] = await settleStatement(values, inTransaction);
  if (written) return { ...written, isWritten: true };
  const found = await Charge.findByPk(charge.id, {
    rejectOnEmpty: true,
    ...(inTransaction && { transaction: inTransaction }),
  });
  return { ...found.get(), isWritten: false };
}

interface PaidCharge {
  id: number;
  amountMinor: number;
  settledAt: Date | null;
}

const paidStatement = statement<PaidCharge>(
  'charge_paid',
  `SELECT id, amount_minor AS "amountMinor", settled_at AS "settledAt" FROM charges
   WHERE subscription_id = $1 AND cycle = $2 AND status = 'paid'`,
);

export async function getPaidCharge(subscriptionId: number, cycle: number, inTransaction: Transaction) {
  const [charge] = await paidStatement([subscriptionId, cycle], inTransaction);
  if (!charge) throw new Error(`subscription ${subscriptionId} has no paid charge of cycle ${cycle}`);
  return charge;
}

const merchantStatement = statement<{ uuid: string }>(
  'charge_merchant',
  'SELECT a.uuid FROM charges c JOIN accounts a ON a.id = c.merchant_id WHERE c.reference = $1 LIMIT 1',
);

/** The uuid of the merchant who was paid, or is to be, by the provider's name of the charge. */
export async function findMerchantOfCharge(reference: string): Promise<string | undefined> {
  const [row] = await merchantStatement([reference]);
  return row?.uuid;
}
