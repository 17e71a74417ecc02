import { firstOf, statement } from '../adapters/postgres/statement';
import { taxColumns, type JoinedTax } from '../tax/chargeTaxes.model';

/** The fields of the receipt of a paid charge. */
export interface ReceiptRow extends JoinedTax {
  chargeId: number;
  accountId: number;
  itemId: number;
  trxToken: string;
  transactionToken: string;
  paidAt: Date;
  merchantName: string;
  customerName: string;
  email: string;
  itemTitle: string;
  description: string;
  /** The fee's price before the voucher. */
  priceMinor: number;
  setupFeeMinor: number;
  setupFeeDescription: string | null;
  amountMinor: number;
  /** The part that the balance paid. Negative: the debt that is included in the amount. */
  balanceMinor: number;
  currency: string;
  voucherCode: string;
  /** The discount on the first charge. */
  discountPercent: number | null;
  discountMinor: number | null;
  /** The discount of an accepted offer, which applies to some charges. */
  offerPercent: number | null;
  /** The tax that was added to the price. Null: the price includes tax. */
  addedTax: { milliPercent: number } | null;
  brand: string | null;
  lastFour: string | null;
  receiverEmail: string | null;
  /** The brand of the purchase; null if there was none. */
  brandingId: number | null;
}

// The token of a refund finds the receipt of its charge, which lists the refund.
const receiptStatement = statement<ReceiptRow>(
  'receipt',
  `SELECT c.id AS "chargeId", c.account_id AS "accountId", i.id AS "itemId", c.trx_token AS "trxToken", coalesce(s.token, p.token) AS "transactionToken",
     c.settled_at AS "paidAt", m.full_name AS "merchantName", a.full_name AS "customerName", a.email,
     i.title AS "itemTitle", f.description, coalesce(s.price_minor, p.price_minor) AS "priceMinor",
     CASE WHEN c.cycle = 1 THEN coalesce(s.setup_fee_minor, p.setup_fee_minor) ELSE 0 END AS "setupFeeMinor",
     f.setup_fee_description AS "setupFeeDescription", c.amount_minor AS "amountMinor",
     c.balance_minor AS "balanceMinor", c.currency,
     coalesce(s.voucher_code, p.voucher_code) AS "voucherCode",
     coalesce(s.discount_percent, p.discount_percent) AS "discountPercent",
     coalesce(s.discount_minor, p.discount_minor) AS "discountMinor", s.offer_percent AS "offerPercent",
     coalesce(s.added_tax, p.added_tax) AS "addedTax", cards.brand, cards.last_four AS "lastFour",
     p.receiver_email AS "receiverEmail", coalesce(s.branding_id, p.branding_id) AS "brandingId",
     ${taxColumns}
   FROM charges c
   JOIN accounts a ON a.id = c.account_id
   JOIN accounts m ON m.id = c.merchant_id
   LEFT JOIN subscriptions s ON s.id = c.subscription_id
   LEFT JOIN payments p ON p.id = c.payment_id
   JOIN items i ON i.id = ${firstOf('s.item_id', 'p.item_id')}
   JOIN access_fees f ON f.id = c.access_fee_id
   LEFT JOIN cards ON cards.id = c.card_id
   LEFT JOIN charge_taxes t ON t.charge_id = c.id
   WHERE c.merchant_id = $1 AND ($2::int IS NULL OR c.account_id = $2) AND c.status = 'paid'
     AND (c.trx_token = $3 OR c.id = (SELECT charge_id FROM refunds WHERE token = $3))`,
);

/** Without `accountId`, a charge of any customer of the merchant. */
export async function findReceipt(
  merchantId: number,
  accountId: number | undefined,
  trxToken: string,
): Promise<ReceiptRow | undefined> {
  const [receipt] = await receiptStatement([merchantId, accountId ?? null, trxToken]);
  return receipt;
}

/** The receipts of free periods are not mailed. A charge that the bank has taken back has none. */
const hasReceipt = `c.status = 'paid' AND c.reversed_at IS NULL AND (c.amount_minor > 0 OR c.balance_minor > 0)`;

const latestStatement = statement<{ trxToken: string }>(
  'receipt_latest',
  `SELECT trx_token AS "trxToken" FROM charges c
   WHERE merchant_id = $1 AND ${hasReceipt}
     AND (trx_token = $2 OR subscription_id = (SELECT id FROM subscriptions WHERE token = $2)
       OR payment_id = (SELECT id FROM payments WHERE token = $2))
   ORDER BY id DESC LIMIT 1`,
);

/** The token of the charge whose receipt was mailed last. `token`: that of a charge, or of its purchase. */
export async function findLatestReceipt(merchantId: number, token: string): Promise<string | undefined> {
  return (await latestStatement([merchantId, token]))[0]?.trxToken;
}

const withReceiptsStatement = statement<{ token: string }>(
  'purchases_with_receipts',
  `SELECT p.token FROM unnest($2::text[]) AS p (token)
   WHERE EXISTS (SELECT FROM subscriptions s JOIN charges c ON c.subscription_id = s.id
       WHERE s.token = p.token AND c.merchant_id = $1 AND ${hasReceipt})
     OR EXISTS (SELECT FROM payments b JOIN charges c ON c.payment_id = b.id
       WHERE b.token = p.token AND c.merchant_id = $1 AND ${hasReceipt})`,
);

/** Those of the purchases for which `findLatestReceipt` finds a receipt, by their tokens. */
export const listPurchasesWithReceipts = (merchantId: number, tokens: readonly string[]) =>
  withReceiptsStatement([merchantId, tokens]);

const refundsStatement = statement<{ amountMinor: number; at: Date }>(
  'receipt_refunds',
  `SELECT amount_minor AS "amountMinor", settled_at AS at FROM refunds WHERE charge_id = $1 AND state = 'refunded'
   ORDER BY settled_at, id`,
);

export const listRefundsOf = (chargeId: number) => refundsStatement([chargeId]);

/** The fields of the receipt of a payment in an app store. */
export interface StoreReceiptRow {
  trxToken: string;
  purchaseToken: string;
  store: 'apple' | 'google-play' | 'amazon' | 'roku';
  paidAt: Date;
  refundedAt: Date | null;
  merchantName: string;
  customerName: string;
  email: string;
  itemTitle: string;
  description: string;
  amountMinor: number;
  currency: string;
  /** The store did not report the amount, so the fee's price is shown. */
  isAmountAssumed: boolean;
}

// The history adds `-refund` to the token of a refund. A refund has the receipt of its payment.
const storeReceiptStatement = statement<StoreReceiptRow>(
  'store_receipt',
  `SELECT x.transaction_id AS "trxToken", bought.token AS "purchaseToken", bought.store, x.paid_at AS "paidAt",
     x.refunded_at AS "refundedAt", m.full_name AS "merchantName", a.full_name AS "customerName", a.email,
     i.title AS "itemTitle", f.description,
     coalesce(x.amount_minor, CASE WHEN x.is_trial THEN 0 ELSE f.amount_minor END) AS "amountMinor",
     coalesce(x.currency, f.currency) AS currency,
     x.is_amount_assumed OR (x.amount_minor IS NULL AND NOT x.is_trial) AS "isAmountAssumed"
   FROM store_payments x
   JOIN store_purchases bought ON bought.id = x.store_purchase_id
   JOIN accounts a ON a.id = x.account_id
   JOIN accounts m ON m.id = x.merchant_id
   JOIN items i ON i.id = x.item_id
   JOIN access_fees f ON f.id = x.access_fee_id
   WHERE x.transaction_id IN ($3, regexp_replace($3, '-refund$', '')) AND x.merchant_id = $1
     AND ($2::int IS NULL OR x.account_id = $2)
   ORDER BY x.id DESC LIMIT 1`,
);

export async function findStoreReceipt(
  merchantId: number,
  accountId: number | undefined,
  trxToken: string,
): Promise<StoreReceiptRow | undefined> {
  const [receipt] = await storeReceiptStatement([merchantId, accountId ?? null, trxToken]);
  return receipt;
}
