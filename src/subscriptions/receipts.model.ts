import { statement } from '../adapters/postgres/statement';

/** The fields of the receipt of a paid charge. */
export interface ReceiptRow {
  chargeId: number;
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
  brand: string | null;
  lastFour: string | null;
  receiverEmail: string | null;
  /** The brand of the purchase; null if there was none. */
  brandingId: number | null;
}

// The token of a refund finds the receipt of its charge, which lists the refund.
const receiptStatement = statement<ReceiptRow>(
  'receipt',
  `SELECT c.id AS "chargeId", c.trx_token AS "trxToken", coalesce(s.token, p.token) AS "transactionToken",
     c.settled_at AS "paidAt", m.full_name AS "merchantName", a.full_name AS "customerName", a.email,
     i.title AS "itemTitle", f.description, coalesce(s.price_minor, p.price_minor) AS "priceMinor",
     CASE WHEN c.cycle = 1 THEN coalesce(s.setup_fee_minor, p.setup_fee_minor) ELSE 0 END AS "setupFeeMinor",
     f.setup_fee_description AS "setupFeeDescription", c.amount_minor AS "amountMinor",
     c.balance_minor AS "balanceMinor", c.currency,
     coalesce(s.voucher_code, p.voucher_code) AS "voucherCode",
     coalesce(s.discount_percent, p.discount_percent) AS "discountPercent",
     coalesce(s.discount_minor, p.discount_minor) AS "discountMinor", cards.brand, cards.last_four AS "lastFour",
     p.receiver_email AS "receiverEmail", coalesce(s.branding_id, p.branding_id) AS "brandingId"
   FROM charges c
   JOIN accounts a ON a.id = c.account_id
   JOIN accounts m ON m.id = c.merchant_id
   LEFT JOIN subscriptions s ON s.id = c.subscription_id
   LEFT JOIN payments p ON p.id = c.payment_id
   JOIN items i ON i.id = coalesce(s.item_id, p.item_id)
   JOIN access_fees f ON f.id = c.access_fee_id
   LEFT JOIN cards ON cards.id = c.card_id
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

const refundsStatement = statement<{ amountMinor: number; at: Date }>(
  'receipt_refunds',
  `SELECT amount_minor AS "amountMinor", settled_at AS at FROM refunds WHERE charge_id = $1 AND state = 'refunded'
   ORDER BY settled_at, id`,
);

export const listRefundsOf = (chargeId: number) => refundsStatement([chargeId]);
