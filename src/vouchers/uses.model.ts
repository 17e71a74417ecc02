import { isFormerAddress } from '../accounts/emailChanges/formerAddresses.model';
import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { isWithinCustomerLimit, lockCustomerOf, refusalOf, type CustomerRefusal } from './customers.model';

/**
 * A use of a voucher is reserved when a purchase is submitted, confirmed when it succeeds, and released when it fails.
 */

/** A purchase, and the code in each form in which it may be stored. */
export interface VoucherRequest {
  merchantId: number;
  codes: string[];
  accountId: number;
  itemId: number;
  accessFeeId: number;
}

/** The current terms of a voucher. `discountDuration` is set only for `repeating`. */
export interface VoucherTerms {
  voucherId: number;
  /** Empty for a gift, whose code is stored only encrypted. */
  code: string;
  discount: number;
  rebillDiscount: number | null;
  /** A fixed amount in minor units instead of the percentage `discount`, which is then 0. */
  discountMinor: number | null;
  rebillDiscountMinor: number | null;
  discountPeriod: 'once' | 'repeating' | 'forever';
  discountDuration: number | null;
}

/** Whether a rule is for the item or the fee. A voucher without such rules is valid for all items of the merchant. */
const isForOffer = (item: string, fee: string) => `
  (NOT EXISTS (SELECT FROM voucher_rules r WHERE r.voucher_id = v.id AND r.rule_type <> 'emails')
    OR EXISTS (SELECT FROM voucher_rules r WHERE r.voucher_id = v.id AND r.item_id = ${item})
    OR EXISTS (SELECT FROM voucher_rules r
      WHERE r.voucher_id = v.id AND r.access_fee_id IN (SELECT fee_and_predecessors(${fee}))))`;

/**
 * The voucher with the code `$2` that is valid for the purchase, without its usage limit. There is at most one, and a
 * gift comes before another voucher with the same code. A gift is valid only for the account that has its receiver's
 * address, or has left it. A rule for an item does not include packages that contain the item.
 */
const isApplicable = `
  v.merchant_id = $1::int AND v.canonical_code = ANY($2::text[]) AND v.deleted_at IS NULL
  AND (v.is_gift OR NOT EXISTS (SELECT FROM vouchers o WHERE o.merchant_id = $1::int
    AND o.canonical_code = ANY($2::text[]) AND o.deleted_at IS NULL AND o.is_gift))
  AND v.starts_at <= merchant_now($1::int) AND (v.ends_at IS NULL OR v.ends_at > merchant_now($1::int))
  AND (NOT EXISTS (SELECT FROM voucher_rules r WHERE r.voucher_id = v.id AND r.rule_type = 'emails')
    OR EXISTS (SELECT FROM voucher_rules r
      WHERE r.voucher_id = v.id AND r.rule_type = 'emails' AND r.account_id = $3::int))
  AND ${isForOffer('$4::int', '$5::int')}
  AND (NOT v.is_gift
    OR EXISTS (SELECT FROM gift_vouchers g JOIN accounts a ON a.id = $3::int
      WHERE g.voucher_id = v.id AND g.state = 'bought' AND (a.email_normalized = g.receiver_email_normalized
        OR ${isFormerAddress('a.id', 'g.receiver_email_normalized')})))`;

const terms = (row: string) => `${row}.code, ${row}.discount, ${row}.rebill_discount AS "rebillDiscount",
  ${row}.discount_period AS "discountPeriod", ${row}.discount_duration AS "discountDuration",
  ${row}.discount_minor AS "discountMinor", ${row}.rebill_discount_minor AS "rebillDiscountMinor"`;

const valuesOf = ({ merchantId, codes, accountId, itemId, accessFeeId }: VoucherRequest) => [
  merchantId,
  codes,
  accountId,
  itemId,
  accessFeeId,
];

/** A voucher with a fixed amount is valid only for a fee in its currency. */
const isInCurrency = (fee: string) =>
  `(v.discount_currency IS NULL OR v.discount_currency = (SELECT currency FROM access_fees WHERE id = ${fee}))`;

export type Refusal = CustomerRefusal | 'currency';

/** A voucher that is valid for the purchase, and the reason why its customer must not use it. */
export interface ApplicableVoucher extends VoucherTerms {
  refusal: Refusal | null;
  discountCurrency: string | null;
  usageLimitPerCustomer: number | null;
}

const applicableStatement = statement<ApplicableVoucher>(
  'voucher_applicable',
  `SELECT v.id AS "voucherId", ${terms('v')}, 
     CASE WHEN NOT ${isInCurrency('$5::int')} THEN 'currency' ELSE ${refusalOf('$3::int')} END AS refusal,
     v.discount_currency AS "discountCurrency", v.usage_limit_per_customer AS "usageLimitPerCustomer" FROM vouchers v
   WHERE ${isApplicable} AND (v.usage_limit IS NULL OR v.usage_limit > v.usage_counter - (
     SELECT count(*) FROM voucher_uses u WHERE u.voucher_id = v.id AND u.state = 'reserved' AND u.lapses_at <= now()))`,
);

/** Finds the voucher for a purchase, without a use of the voucher. */
export async function findApplicable(
  request: VoucherRequest,
  inTransaction?: Transaction,
): Promise<ApplicableVoucher | undefined> {
  const [found] = await applicableStatement(valuesOf(request), inTransaction);
  return found;
}

const reachesStatement = statement<{ id: number }>(
  'voucher_reaches',
  `SELECT v.id FROM vouchers v WHERE v.id = $1 AND ${isForOffer('$2::int', '$3::int')}`,
);

/** Whether a voucher's rules also allow another fee. */
export async function reachesFee(
  voucherId: number,
  { itemId, accessFeeId }: { itemId: number; accessFeeId: number },
  inTransaction?: Transaction,
): Promise<boolean> {
  return (await reachesStatement([voucherId, itemId, accessFeeId], inTransaction)).length > 0;
}

const heldStatement = statement<VoucherTerms>(
  'voucher_use_held',
  `SELECT u.voucher_id AS "voucherId", ${terms('u')} FROM voucher_uses u
   WHERE u.merchant_id = $1 AND u.subject = $2 AND u.state IN ('reserved', 'confirmed')`,
);

/** The voucher that the purchase has already reserved. */
export async function findHeld(
  merchantId: number,
  subject: string,
  inTransaction: Transaction,
): Promise<VoucherTerms | undefined> {
  const [held] = await heldStatement([merchantId, subject], inTransaction);
  return held;
}

/**
 * Reserves a use below the limit and saves its purchase in one statement, so that each of several parallel purchases
 * sees the count after the previous one. A purchase that has released its use can reserve another.
 */
const takeStatement = statement<VoucherTerms & { isWritten: boolean }>(
  'voucher_use_take',
  `WITH taken AS (
     UPDATE vouchers v SET usage_counter = v.usage_counter + 1
     WHERE ${isApplicable} AND ${isInCurrency('$5::int')}
       AND (v.usage_limit IS NULL OR v.usage_counter < v.usage_limit)
     RETURNING v.*
   ), written AS (
     INSERT INTO voucher_uses AS u (merchant_id, voucher_id, account_id, item_id, access_fee_id, subject, state, code,
       discount, rebill_discount, discount_period, discount_duration,
       discount_minor, rebill_discount_minor, lapses_at)
     SELECT merchant_id, id, $3, $4, $5, $6, 'reserved', code, discount, rebill_discount, discount_period,
       discount_duration, discount_minor, rebill_discount_minor, now() + make_interval(secs => $7)
     FROM taken
     ON CONFLICT (subject) DO UPDATE SET voucher_id = excluded.voucher_id, state = 'reserved', code = excluded.code,
       discount = excluded.discount, rebill_discount = excluded.rebill_discount,
       discount_period = excluded.discount_period, discount_duration = excluded.discount_duration,
       discount_minor = excluded.discount_minor, rebill_discount_minor = excluded.rebill_discount_minor,
       lapses_at = excluded.lapses_at, settled_at = NULL
     WHERE u.merchant_id = excluded.merchant_id AND u.state NOT IN ('reserved', 'confirmed')
     RETURNING u.id
   )
   SELECT t.id AS "voucherId", ${terms('t')}, EXISTS (SELECT FROM written) AS "isWritten" FROM taken t`,
);

/** Undefined if the voucher is not valid for the purchase, or all uses are reserved. */
export async function takeUse(
  request: VoucherRequest,
  subject: string,
  lifetimeSeconds: number,
  inTransaction: Transaction,
): Promise<VoucherTerms | undefined> {
  const [taken] = await takeStatement([...valuesOf(request), subject, lifetimeSeconds], inTransaction);
  // Another transaction has reserved a use for the same purchase. The error rolls this transaction back.
  if (taken && !taken.isWritten) throw new Error(`the purchase ${subject} has a voucher already`);
  return taken;
}

/** Releases lapsed reservations. The rows, then the vouchers, are locked in order, which prevents deadlocks. */
const freeing = (which: string) => `
  WITH lapsed AS (
    SELECT id FROM voucher_uses WHERE state = 'reserved' AND lapses_at <= now() AND ${which} ORDER BY id FOR UPDATE
  ), freed AS (
    UPDATE voucher_uses SET state = 'lapsed', settled_at = now() WHERE id IN (SELECT id FROM lapsed) RETURNING voucher_id
  ), locked AS (
    SELECT id FROM vouchers WHERE id IN (SELECT voucher_id FROM freed) ORDER BY id FOR UPDATE
  )
  UPDATE vouchers v SET usage_counter = v.usage_counter - f.uses
  FROM locked l JOIN (SELECT voucher_id, count(*)::int AS uses FROM freed GROUP BY voucher_id) AS f ON f.voucher_id = l.id
  WHERE v.id = l.id`;

const freeByCodeStatement = statement(
  'voucher_free_by_code',
  freeing(`voucher_id IN (SELECT id FROM vouchers WHERE merchant_id = $1 AND canonical_code = ANY($2::text[])
    AND deleted_at IS NULL)`),
);

/** The caller always tries again, because another transaction may have released the uses. */
export async function freeLapsed({ merchantId, codes }: VoucherRequest, inTransaction: Transaction): Promise<void> {
  await freeByCodeStatement([merchantId, codes], inTransaction);
}

const freeByVoucherStatement = statement('voucher_free', freeing('voucher_id = $1'));

/** Releases the lapsed reservations of one voucher. */
export async function freeLapsedOf(voucherId: number, inTransaction: Transaction): Promise<void> {
  await freeByVoucherStatement([voucherId], inTransaction);
}

const freeByCustomerStatement = statement('voucher_free_by_customer', freeing('account_id = $1'));

/** Releases the lapsed reservations of one customer. */
export async function freeLapsedOfCustomer({ accountId }: VoucherRequest, inTransaction: Transaction): Promise<void> {
  await freeByCustomerStatement([accountId], inTransaction);
}

const freeBySubjectStatement = statement(
  'voucher_free_by_subject',
  freeing(`subject <> $1 AND voucher_id = (SELECT voucher_id FROM voucher_uses WHERE subject = $1)`),
);

const useStateStatement = statement<{ state: string }>(
  'voucher_use_state',
  'SELECT state FROM voucher_uses WHERE subject = $1',
);

const holdStatement = statement<{ id: number }>(
  'voucher_use_hold',
  `UPDATE voucher_uses SET lapses_at = 'infinity' WHERE subject = $1 AND state = 'reserved' RETURNING id`,
);

/** The confirmation of a gift's use redeems the gift. */
const confirmStatement = statement<{ id: number }>(
  'voucher_use_confirm',
  `WITH confirmed AS (
     UPDATE voucher_uses SET state = 'confirmed', lapses_at = 'infinity', settled_at = now()
     WHERE subject = $1 AND state = 'reserved' RETURNING id, voucher_id, account_id
   ), redeemed AS (
     UPDATE gift_vouchers g SET state = 'redeemed', redeemed_by = c.account_id, redeemed_at = now()
     FROM confirmed c WHERE g.voucher_id = c.voucher_id
   )
   SELECT id FROM confirmed`,
);

/**
 * Reserves a use again for a lapsed reservation, if the limits allow it. Other conditions were checked when the use was
 * reserved. Only the refund of a gift is checked again.
 */
const retakeStatement = statement<{ id: number }>(
  'voucher_use_retake',
  `WITH lapsed AS (
     SELECT id, voucher_id, account_id FROM voucher_uses WHERE subject = $1 AND state IN ('lapsed', 'released')
     FOR UPDATE
   ), taken AS (
     UPDATE vouchers v SET usage_counter = v.usage_counter + 1 FROM lapsed
     WHERE v.id = lapsed.voucher_id AND (v.usage_limit IS NULL OR v.usage_counter < v.usage_limit)
       AND NOT (v.is_gift AND v.deleted_at IS NOT NULL) AND ${isWithinCustomerLimit('lapsed.account_id')}
     RETURNING lapsed.id
   )
   UPDATE voucher_uses SET state = 'reserved', settled_at = NULL WHERE id IN (SELECT id FROM taken) RETURNING id`,
);

/** The next state of a reservation. */
export type Step = 'hold' | 'confirm';
const steps = { hold: holdStatement, confirm: confirmStatement };

/** False if the reservation has lapsed and all uses are reserved. True for a purchase without a voucher. */
export async function keepUse(step: Step, subject: string, inTransaction: Transaction): Promise<boolean> {
  const [kept] = await steps[step]([subject], inTransaction);
  if (kept) return true;
  const [use] = await useStateStatement([subject], inTransaction);
  if (use?.state !== 'lapsed' && use?.state !== 'released') return true;
  await lockCustomerOf(subject, inTransaction);
  await freeBySubjectStatement([subject], inTransaction);
  const [retaken] = await retakeStatement([subject], inTransaction);
  if (!retaken) return false;
  await steps[step]([subject], inTransaction);
  return true;
}

const giveBackStatement = statement(
  'voucher_use_give_back',
  `WITH given AS (
     UPDATE voucher_uses SET state = $3, settled_at = now() WHERE subject = $1 AND state = $2 RETURNING voucher_id
   )
   UPDATE vouchers v SET usage_counter = v.usage_counter - 1 FROM given WHERE v.id = given.voucher_id`,
);

/** Releases a use once. A use in another state does not change. */
export async function giveBack(
  subject: string,
  move: { from: 'reserved'; to: 'released' } | { from: 'confirmed'; to: 'returned' },
  inTransaction: Transaction,
): Promise<void> {
  await giveBackStatement([subject, move.from, move.to], inTransaction);
}
