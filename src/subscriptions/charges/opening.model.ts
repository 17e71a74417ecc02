import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Device } from '../purchases.model';
import { type PriceTerms } from '../subscriptions.model';
import { type ChargeState } from './charges.model';

/** A charge with its purchase, its card and its account, as read in one statement. */
export interface OpenedCharge extends ChargeState {
  id: number;
  merchantId: number;
  kind: 'subscription' | 'payment';
  purchaseToken: string;
  accountId: number;
  idempotencyKey: string;
  amountMinor: number;
  currency: string;
  returnUrl: string | null;
  /** Null if there is nothing to pay. */
  cardId: number | null;
  cardToken: string | null;
  /** The account of the card. */
  provider: string | null;
  /** The card is a mandate for direct debits. */
  isDebit: boolean;
  /** The card is the payer's agreement to later payments by a method; null for every other charge. */
  agreement: 'paypal' | null;
  /** The method of a payment that its payer makes on a page; null for every other charge. */
  redirect: 'ideal' | 'bancontact' | 'paypal' | 'google_pay' | 'apple_pay' | null;
  /** Where and with which device the payer has ordered. */
  ipAddress: string;
  device: Device | null;
  accountIsErased: boolean;
  /** The operator has suspended the merchant. */
  merchantIsSuspended: boolean;
  hasVoucher: boolean;
  reference: string | null;
  /** The number of refusals that the provider has stored for this charge. It is part of the next key. */
  refusalNo: number;
  /** The provider's code of the last refusal. */
  refusalCode: string | null;
  /** The row was inserted by this statement, so nothing has been sent to the provider. */
  isNew: boolean;
  openedAt: Date;
  /** The purchase has started already, so the payer is not present. */
  isRenewal: boolean;
  /** The merchant has a tax profile, and the tax of the charge is not decided. */
  needsTax: boolean;
  /** The merchant has a tax profile, so the charge can have an invoice. */
  hasTax: boolean;
  /** The database was restored after the charge was created, so the charge may have been paid in the lost state. */
  isRestored: boolean;
}

const termsStatement = statement<PriceTerms>(
  'charge_terms',
  `SELECT price_minor AS "priceMinor", setup_fee_minor AS "setupFeeMinor", currency,
     added_tax AS "addedTax",
     discount_percent AS "discountPercent", rebill_percent AS "rebillPercent", discount_period AS "discountPeriod",
     discount_duration AS "discountDuration", discount_minor AS "discountMinor", rebill_minor AS "rebillMinor",
     offer_percent AS "offerPercent", offer_from AS "offerFrom", offer_to AS "offerTo"
   FROM subscriptions WHERE id = $1`,
);

export async function getPriceTerms(subscriptionId: number): Promise<PriceTerms> {
  const [terms] = await termsStatement([subscriptionId]);
  if (!terms) throw new Error(`there is no subscription ${subscriptionId}`);
  return terms;
}

// On a conflict, the update changes nothing. It only makes the statement return the existing row with its first amount.
// An erased account gets no new charge, but its existing charges are found.
const openedBy = (kind: OpenedCharge['kind'], wanted: string, condition = 'true') => `
  WITH wanted AS (${wanted}),
  opened AS (
    INSERT INTO charges AS c (merchant_id, account_id, ${kind}_id, cycle, attempt, idempotency_key, card_id, amount_minor,
      currency, status, created_at, access_fee_id, period_start, period_end)
    SELECT w.* FROM wanted w JOIN accounts a ON a.id = w.account_id WHERE a.erased_at IS NULL AND ${condition}
    ON CONFLICT (idempotency_key) DO UPDATE SET idempotency_key = excluded.idempotency_key
    RETURNING c.*, c.xmax = 0 AS is_new
  ),
  known AS (
    SELECT * FROM opened
    UNION ALL SELECT c.*, false FROM charges c JOIN wanted USING (idempotency_key) WHERE NOT EXISTS (SELECT FROM opened)
  )
  SELECT o.id, o.merchant_id AS "merchantId", o.reference, o.refusal_no AS "refusalNo", o.refusal_code AS "refusalCode",
    o.asked_at AS "askedAt", o.is_new AS "isNew", o.opened_at AS "openedAt", '${kind}' AS kind, p.token AS "purchaseToken",
    o.account_id AS "accountId", o.idempotency_key AS "idempotencyKey", o.status, o.currency,
    o.amount_minor AS "amountMinor", o.decline_reason AS "declineReason", o.decline_message AS "declineMessage",
    o.decline_class AS "declineClass", p.return_url AS "returnUrl", o.card_id AS "cardId",
    cards.token AS "cardToken", cards.provider, coalesce(cards.method IN ('direct_debit', 'ideal', 'bancontact') AND NOT cards.is_single_use, false) AS "isDebit",
    CASE WHEN cards.method = 'paypal' AND NOT cards.is_single_use THEN cards.method END AS agreement,
    CASE WHEN cards.method NOT IN ('card', 'link') AND cards.is_single_use THEN cards.method END AS redirect,
    p.ip_address AS "ipAddress", p.device,
    a.erasing_at IS NOT NULL AS "accountIsErased", EXISTS (SELECT FROM merchant_states s
      WHERE s.merchant_id = o.merchant_id AND s.suspended_at IS NOT NULL) AS "merchantIsSuspended", p.voucher_id IS NOT NULL AS "hasVoucher",
    p.id <= coalesce((SELECT max(${kind}s_to) FROM restorations), 0) AS "isRestored",
    p.state <> 'incomplete' AS "isRenewal",
    EXISTS (SELECT FROM tax_profiles x WHERE x.merchant_id = o.merchant_id) AS "hasTax",
    o.status = 'open' AND EXISTS (SELECT FROM tax_profiles x WHERE x.merchant_id = o.merchant_id)
      AND NOT EXISTS (SELECT FROM charge_taxes t WHERE t.charge_id = o.id) AS "needsTax"
  FROM known o JOIN ${kind}s p ON p.id = o.${kind}_id JOIN accounts a ON a.id = o.account_id
    LEFT JOIN cards ON cards.id = o.card_id`;

const ofCycle = `SELECT merchant_id, account_id, id, $2::int, $3::int,
    concat_ws(':', token, $2::int, $3::int) AS idempotency_key, card_id, $4::bigint, currency, 'open',
    coalesce($5, merchant_now(merchant_id)), $6::int, $7::timestamptz,
    CASE WHEN $7::timestamptz IS NOT NULL THEN coalesce($8::timestamptz, current_period_end) END
  FROM subscriptions WHERE id = $1`;
const ofPayment = `SELECT merchant_id, account_id, id, 1, 1, token AS idempotency_key, card_id, charged_minor, currency,
    'open', merchant_now(merchant_id), access_fee_id, NULL::timestamptz, NULL::timestamptz
  FROM payments WHERE id = $1`;

const hasNoBalance = `NOT EXISTS (SELECT FROM customer_balances b
  WHERE b.account_id = w.account_id AND b.currency = w.currency AND b.balance_minor <> 0)`;

const openStatements = {
  whole: {
    cycle: statement<OpenedCharge>('charge_open_cycle', openedBy('subscription', ofCycle)),
    payment: statement<OpenedCharge>('charge_open_payment', openedBy('payment', ofPayment)),
  },
  withoutBalance: {
    cycle: statement<OpenedCharge>('charge_open_cycle_alone', openedBy('subscription', ofCycle, hasNoBalance)),
    payment: statement<OpenedCharge>('charge_open_payment_alone', openedBy('payment', ofPayment, hasNoBalance)),
  },
};

export type ChargeName =
  | {
      subscriptionId: number;
      cycle: number;
      attempt: number;
      amountMinor: number;
      atMs?: number;
      maxMinor?: number;
      sold?: SoldPlan;
    }
  | { paymentId: number };

/** What the charge of a plan change pays for. Without `endsAt`, the rest of the running period. */
export interface SoldPlan {
  accessFeeId: number;
  startsAt: Date;
  endsAt?: Date;
}

/**
 * Inserts the charge of an attempt, or finds it if it exists. Undefined if it does not exist and must not be inserted:
 * the account is erased, or the customer has a balance. This is one prepared statement, because `findOrCreate` and its
 * reads need twelve, which delays the payer's event by 5 ms.
 */
export function openWithoutBalance(of: ChargeName): Promise<OpenedCharge | undefined> {
  return openBy(openStatements.withoutBalance, of);
}

/**
 * Like `openWithoutBalance`, for any balance. The caller subtracts the balance with `settleWithBalance`, in the same
 * transaction.
 */
export function openWhole(of: ChargeName, inTransaction: Transaction): Promise<OpenedCharge | undefined> {
  return openBy(openStatements.whole, of, inTransaction);
}

type OpenStatements = (typeof openStatements)['whole'];

async function openBy(statements: OpenStatements, of: ChargeName, inTransaction?: Transaction) {
  const [charge] =
    'paymentId' in of
      ? await statements.payment([of.paymentId], inTransaction)
      : await statements.cycle([...cycleOf(of), ...soldBy(of)], inTransaction);
  return charge;
}

type CycleName = Exclude<ChargeName, { paymentId: number }>;

const cycleOf = (of: CycleName) => [of.subscriptionId, of.cycle, of.attempt, of.amountMinor, instant(of.atMs)];
const soldBy = ({ sold }: CycleName) => [sold?.accessFeeId ?? null, sold?.startsAt ?? null, sold?.endsAt ?? null];

const balanceStatement = statement(
  'charge_settle_with_balance',
  'UPDATE charges SET amount_minor = $2, balance_minor = $3 WHERE id = $1',
);

/** Divides a new charge between the card and the balance. */
export async function settleWithBalance(
  { id }: Pick<OpenedCharge, 'id'>,
  { chargeMinor, takenMinor }: { chargeMinor: number; takenMinor: number },
  inTransaction: Transaction,
): Promise<void> {
  await balanceStatement([id, chargeMinor, takenMinor], inTransaction);
}

const instant = (atMs: number | undefined) => (atMs === undefined ? null : new Date(atMs));
