import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/**
 * The conditions of a voucher on its customer. A statement sees parallel purchases of the customer only after their
 * commit, so the customer is locked before a use of such a voucher is reserved.
 */

export type CustomerRefusal = 'customer_limit' | 'new_customers_only';

/** A lapsed reservation does not count. It is released before a new use is reserved. */
const counts = `(u.state = 'confirmed' OR (u.state = 'reserved' AND u.lapses_at > now()))`;

/** Whether the customer may use the voucher `v`, or another code of its batch, once more. */
export const isWithinCustomerLimit = (account: string) => `
  (v.usage_limit_per_customer IS NULL OR v.usage_limit_per_customer > (
    SELECT count(*) FROM voucher_uses u JOIN vouchers o ON o.id = u.voucher_id
    WHERE u.account_id = ${account} AND (o.id = v.id OR o.batch_id = v.batch_id) AND ${counts}))`;

/**
 * A customer is known after a paid charge, a purchase in an app store, or a use of a voucher, even if the purchase is
 * still in progress. A refund does not change this. Trials and received gifts do not count.
 */
const isKnownCustomer = (account: string) => `
  (EXISTS (SELECT FROM charges c WHERE c.account_id = ${account} AND c.status = 'paid' AND c.amount_minor > 0)
    OR EXISTS (SELECT FROM store_purchases p WHERE p.account_id = ${account} AND p.state <> 'pending')
    OR EXISTS (SELECT FROM voucher_uses u JOIN vouchers o ON o.id = u.voucher_id
      WHERE u.account_id = ${account} AND NOT o.is_gift AND ${counts}))`;

/** The reason why the customer must not use the voucher `v`. Null if there is none. */
export const refusalOf = (account: string) => `
  CASE WHEN NOT ${isWithinCustomerLimit(account)} THEN 'customer_limit'
    WHEN v.new_customers_only AND ${isKnownCustomer(account)} THEN 'new_customers_only' END`;

const lock = (account: string) => `pg_advisory_xact_lock(hashtext('voucher_customers'), ${account})`;

const lockStatement = statement<{ id: number }>(
  'voucher_customer_lock',
  `SELECT v.id, ${lock('$3::int')} FROM vouchers v
   WHERE v.merchant_id = $1 AND v.canonical_code = ANY($2::text[]) AND v.deleted_at IS NULL
     AND (v.usage_limit_per_customer IS NOT NULL OR v.new_customers_only)`,
);

/** Locks the customer for such a voucher until the commit. False if the voucher has no conditions on its customer. */
export async function lockCustomer(
  { merchantId, codes, accountId }: { merchantId: number; codes: string[]; accountId: number },
  inTransaction: Transaction,
): Promise<boolean> {
  return (await lockStatement([merchantId, codes, accountId], inTransaction)).length > 0;
}

const lockOfStatement = statement(
  'voucher_customer_lock_of',
  `SELECT v.id, ${lock('u.account_id')} FROM voucher_uses u JOIN vouchers v ON v.id = u.voucher_id
   WHERE u.subject = $1 AND v.usage_limit_per_customer IS NOT NULL`,
);

/** Locks the customer for the use that a purchase had. */
export async function lockCustomerOf(subject: string, inTransaction: Transaction): Promise<void> {
  await lockOfStatement([subject], inTransaction);
}
