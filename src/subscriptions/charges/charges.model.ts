import {
  bigint,
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
import { type SubscriptionState } from '../subscriptions.model';
import { type StoredMethod } from '../cards.model';
import { type PaymentState } from '../payments/payments.model';

/**
 * One attempt to collect money for a cycle of a subscription or for a payment. Its idempotency key is never used again.
 */
export class Charge extends modelOf({
  id: serial(),
  merchantId: integer(),
  /** A charge has either this or `paymentId`. */
  subscriptionId: nullable(integer()),
  paymentId: nullable(integer()),
  cycle: integer(),
  attempt: integer(),
  idempotencyKey: text(),
  /** The key in the form that a path can contain. */
  trxToken: defaulted(text()),
  /** Null if there was nothing to pay. */
  cardId: nullable(integer()),
  amountMinor: bigint(),
  currency: char(3),
  /** `processing`: the payer's bank decides on a direct debit. */
  status: text<'open' | 'requires_action' | 'processing' | 'paid' | 'declined'>(),
  reference: nullable(text()),
  redirectUrl: nullable(text()),
  declineReason: nullable(text()),
  declineMessage: nullable(text()),
  /** Whether a later attempt can succeed. */
  declineClass: nullable(text<'soft' | 'hard' | 'later'>()),
  /** When the payer was asked to authenticate, in merchant time. */
  askedAt: nullable(time()),
  settledAt: nullable(time()),
  /** Refunded, or reserved for a refund. */
  refundedMinor: defaulted(bigint()),
  /** The part of the due amount that the balance pays. Negative: the debt that is collected with this charge. */
  balanceMinor: defaulted(bigint()),
  /** The time when the payer's bank took a paid direct debit back, and the cycle was collected again. */
  reversedAt: nullable(time()),
  /** The part of the amount that was turned into credit. */
  creditedMinor: defaulted(bigint()),
}) {}
Charge.init(Charge.columns, { sequelize, tableName: 'charges' });

/** The fields of a charge that determine its outcome. */
export type ChargeState = Pick<Charge, 'status' | 'declineReason' | 'declineMessage' | 'declineClass' | 'askedAt'>;

/** The subscription or payment that a charge is for. */
export type Purchase = {
  id: number;
  token: string;
  merchantId: number;
  accountId: number;
  itemId: number;
  accessFeeId: number;
  referrer: string;
  brandingId: number | null;
  /** How the charge is paid; absent for a card that is set up, null if nothing is to pay. */
  method?: StoredMethod | null;
} & ({ kind: 'subscription'; state: SubscriptionState } | { kind: 'payment'; state: PaymentState });

const purchaseStatement = statement<Purchase>(
  'charge_purchase',
  `SELECT CASE WHEN c.payment_id IS NULL THEN 'subscription' ELSE 'payment' END AS kind, coalesce(s.id, p.id) AS id,
     coalesce(s.token, p.token) AS token, c.merchant_id AS "merchantId",
     coalesce(s.account_id, p.account_id) AS "accountId", coalesce(s.item_id, p.item_id) AS "itemId",
     c.access_fee_id AS "accessFeeId", coalesce(s.state, p.state) AS state,
     coalesce(s.referrer, p.referrer) AS referrer, coalesce(s.branding_id, p.branding_id) AS "brandingId",
     cards.method
   FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
     LEFT JOIN cards ON cards.id = c.card_id
   WHERE c.id = $1`,
);

export async function getPurchase(chargeId: number, inTransaction?: Transaction): Promise<Purchase> {
  const [purchase] = await purchaseStatement([chargeId], inTransaction);
  if (!purchase) throw new Error(`there is no charge ${chargeId}`);
  return purchase;
}

export type ChargedPurchase = Purchase & { chargeId: number };

/**
 * Finds the purchase by the provider's reference of its charge. With `merchantId`, only a purchase of this merchant.
 */
export async function findPurchase(reference: string, merchantId?: number): Promise<ChargedPurchase | undefined> {
  const charge = await Charge.findOne({ where: { reference, ...(merchantId !== undefined && { merchantId }) } });
  return charge ? { ...(await getPurchase(charge.id)), chargeId: charge.id } : undefined;
}

/**
 * The reasons of declines that never reached a bank. Most are refusals of our own; an authentication that expires is
 * declined by the provider.
 */
export const ownReasons = [
  ...(['account_erased', 'authentication_expired', 'card_final', 'card_needed', 'card_tried_too_often'] as const),
  ...([
    'debit_given_up',
    'provider_misconfigured',
    'provider_silent',
    'provider_unavailable',
    'voucher_expired',
    'withdrawn',
  ] as const),
];

export type OwnReason = (typeof ownReasons)[number];

/** The changes that a provider's answer makes to a charge. */
export type Settlement = Pick<Charge, 'status'> &
  Partial<
    Pick<Charge, 'reference' | 'redirectUrl' | 'declineReason' | 'declineMessage' | 'declineClass' | 'settledAt'> & {
      /** The token of the charged card after this answer. */
      cardToken: string;
      /** The last digits of the bank account behind that token. */
      lastFour: string;
    }
  >;

/** A first payment waits for its payer. The next timer of its row is this long after the request. */
const payerIsAwaited = `interval '23 hours'`;
/** A direct debit that is being processed is looked up at this interval. */
const debitIsAwaited = `interval '1 day'`;

// The subscription is locked before its charge, as in every other transaction: PostgreSQL evaluates the count of the locked rows
// before the update. A declined charge returns the amount that it took from the balance. The card of a paid first charge becomes
// the default card of its currency, unless a newer card is already the default.
const settleStatement = statement<ChargeState>(
  'charge_settle',
  `WITH locked AS MATERIALIZED (
     SELECT r.id FROM subscriptions r JOIN charges c ON c.subscription_id = r.id
     WHERE c.id = $1 AND $3 IN ('requires_action', 'processing') FOR NO KEY UPDATE OF r
   ),
   settled AS (
     UPDATE charges SET status = $3, reference = coalesce($4, reference), redirect_url = coalesce(redirect_url, $5),
       asked_at = CASE WHEN $3 = 'requires_action' THEN coalesce(asked_at, merchant_now(merchant_id)) ELSE asked_at END,
       decline_reason = $6, decline_message = $7, decline_class = $9,
       settled_at = CASE WHEN $3 IN ('paid', 'declined') THEN coalesce($8, merchant_now(merchant_id)) END,
       known_at = CASE WHEN $3 IN ('paid', 'declined') THEN now() END
     WHERE id = $1 AND status = $2 AND (SELECT count(*) FROM locked) >= 0
     RETURNING id, merchant_id, account_id, subscription_id, payment_id, card_id, currency, cycle, status, balance_minor,
       decline_reason, decline_message, decline_class, asked_at, settled_at
   ),
   first_waits AS (
     UPDATE subscriptions r SET next_due_at = s.asked_at + ${payerIsAwaited} FROM settled s
     WHERE s.status = 'requires_action' AND r.id = s.subscription_id AND r.state = 'incomplete'
   ),
   payment_waits AS (
     UPDATE payments r SET next_due_at = now() + (s.asked_at + ${payerIsAwaited} - merchant_now(r.merchant_id))
     FROM settled s
     WHERE s.status = 'requires_action' AND r.id = s.payment_id AND r.state = 'incomplete'
   ),
   named AS (
     UPDATE cards SET token = $10, is_single_use = false, last_four = coalesce($11, last_four) FROM settled s
     WHERE cards.id = s.card_id AND cards.is_single_use AND $10::text IS NOT NULL
   ),
   debit_waits AS (
     UPDATE subscriptions r SET next_due_at = merchant_now(r.merchant_id) + ${debitIsAwaited} FROM settled s
     WHERE s.status = 'processing' AND r.id = s.subscription_id
       AND (r.state = 'incomplete' OR r.processing_at IS NOT NULL)
   ),
   paid_by_debit AS (
     UPDATE payments r SET next_due_at = now() + ${debitIsAwaited} FROM settled s
     WHERE s.status = 'processing' AND r.id = s.payment_id AND r.state = 'incomplete'
   ),
   given_back AS (
     INSERT INTO balance_movements (merchant_id, account_id, currency, amount_minor, reason, cause, charge_id, created_at)
     SELECT s.merchant_id, s.account_id, s.currency, s.balance_minor, 'charge_declined', 'declined:' || s.id, s.id,
       s.settled_at
     FROM settled s JOIN accounts a ON a.id = s.account_id
     WHERE s.status = 'declined' AND s.balance_minor <> 0 AND a.erased_at IS NULL
     ON CONFLICT (account_id, cause) DO NOTHING
   ),
   proved AS (
     INSERT INTO default_cards AS d (merchant_id, account_id, currency, card_id)
     SELECT s.merchant_id, s.account_id, s.currency, s.card_id FROM settled s JOIN accounts a ON a.id = s.account_id
       JOIN cards k ON k.id = s.card_id AND k.method IN ('card', 'link')
     WHERE s.status = 'paid' AND s.cycle = 1 AND a.erasing_at IS NULL
     ON CONFLICT (account_id, currency) DO UPDATE SET card_id = excluded.card_id, updated_at = now()
       WHERE d.card_id < excluded.card_id
   )
   SELECT status, decline_reason AS "declineReason", decline_message AS "declineMessage",
     decline_class AS "declineClass", asked_at AS "askedAt" FROM settled`,
);

/** A paid or declined charge never changes. If the status has changed since the charge was read, nothing is written. */
export async function settleCharge(
  charge: Pick<Charge, 'id' | 'status'>,
  to: Settlement,
  inTransaction?: Transaction,
): Promise<ChargeState & { isWritten: boolean }> {
  const { reference = null, redirectUrl = null, declineReason = null, declineMessage = null, settledAt = null } = to;
  const { declineClass = null, cardToken = null, lastFour = null } = to;
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
    cardToken,
    lastFour,
  ];
  const [written] = await settleStatement(values, inTransaction);
  if (written) return { ...written, isWritten: true };
  const found = await Charge.findByPk(charge.id, {
    rejectOnEmpty: true,
    ...(inTransaction && { transaction: inTransaction }),
  });
  return { ...found.get(), isWritten: false };
}

/** The page where the payer of an attempt authenticates. Undefined if the attempt does not wait for its payer. */
export async function findRedirectUrl(
  attempt: { subscriptionId: number; cycle: number; attempt: number },
  inTransaction: Transaction,
): Promise<string | undefined> {
  const where = { ...attempt, status: 'requires_action' } as const;
  const charge = await Charge.findOne({ where, attributes: ['redirectUrl'], transaction: inTransaction });
  return charge?.redirectUrl ?? undefined;
}

const refusalStatement = statement(
  'charge_refusal',
  `UPDATE charges SET refusal_no = refusal_no + $3::int, refusal_code = $4
   WHERE id = $1 AND refusal_no = $2 AND status = 'open'`,
);

/** Records that the provider refused the request itself. `isKept`: the provider repeats this answer for the same key. */
export async function writeRefusal(
  charge: { id: number; refusalNo: number },
  code: string,
  isKept: boolean,
): Promise<void> {
  await refusalStatement([charge.id, charge.refusalNo, isKept ? 1 : 0, code]);
}

const merchantStatement = statement<{ uuid: string }>(
  'charge_merchant',
  'SELECT a.uuid FROM charges c JOIN accounts a ON a.id = c.merchant_id WHERE c.reference = $1 LIMIT 1',
);

/** The uuid of the merchant whose charge has this provider reference. */
export async function findMerchantOfCharge(reference: string): Promise<string | undefined> {
  const [row] = await merchantStatement([reference]);
  return row?.uuid;
}
