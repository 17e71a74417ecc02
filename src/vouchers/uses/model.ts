import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** A use of a voucher: reserved with a purchase's submission, confirmed when it succeeds, given back when it fails. */

/** Who buys what, and the code in the forms in which it may be stored. */
export interface Wanted {
  merchantId: number;
  codes: string[];
  accountId: number;
  itemId: number;
  accessFeeId: number;
}

/** A voucher as it is at this moment; `discountDuration` with `repeating` only. */
export interface VoucherTerms {
  voucherId: number;
  /** Empty for a gift, whose code is stored nowhere in the clear. */
  code: string;
  discount: number;
  rebillDiscount: number | null;
  discountPeriod: 'once' | 'repeating' | 'forever';
  discountDuration: number | null;
}

/** A rule about items or fees names this item, or this fee; without such a rule it is good for all of the merchant's. */
const isForOffer = (item: string, fee: string) => `
  (NOT EXISTS (SELECT FROM voucher_rules r WHERE r.voucher_id = v.id AND r.rule_type <> 'emails')
    OR EXISTS (SELECT FROM voucher_rules r WHERE r.voucher_id = v.id AND r.item_id = ${item})
    OR EXISTS (SELECT FROM voucher_rules r
      WHERE r.voucher_id = v.id AND r.access_fee_id IN (SELECT fee_and_predecessors(${fee}))))`;

/**
 * Which voucher `$2` means and whether it is good for this purchase, but for the limit: one at most, a gift before another
 * voucher of the same code. A gift is for the account with the address that it was sent to. A rule about items means a purchase of that very item: a package's fee is the
 * package's, not that of an item in it.
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
      WHERE g.voucher_id = v.id AND g.state = 'bought' AND a.email_normalized = g.receiver_email_normalized))`;

const terms = (row: string) => `${row}.code, ${row}.discount, ${row}.rebill_discount AS "rebillDiscount",
  ${row}.discount_period AS "discountPeriod", ${row}.discount_duration AS "discountDuration"`;

const valuesOf = ({ merchantId, codes, accountId, itemId, accessFeeId }: Wanted) => [
  merchantId,
  codes,
  accountId,
  itemId,
  accessFeeId,
];

const applicableStatement = statement<VoucherTerms>(
  'voucher_applicable',
  `SELECT v.id AS "voucherId", ${terms('v')} FROM vouchers v
   WHERE ${isApplicable} AND (v.usage_limit IS NULL OR v.usage_limit > v.usage_counter - (
     SELECT count(*) FROM voucher_uses u WHERE u.voucher_id = v.id AND u.state = 'reserved' AND u.lapses_at <= now()))`,
);

/** The voucher that a purchase would be given now; takes no use of it. */
export async function findApplicable(wanted: Wanted): Promise<VoucherTerms | undefined> {
  const [found] = await applicableStatement(valuesOf(wanted));
  return found;
}

const reachesStatement = statement<{ id: number }>(
  'voucher_reaches',
  `SELECT v.id FROM vouchers v WHERE v.id = $1 AND ${isForOffer('$2::int', '$3::int')}`,
);

/** Whether a voucher's rules are good for another fee as well. */
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

/** What a purchase has reserved already. */
export async function findHeld(
  merchantId: number,
  subject: string,
  inTransaction: Transaction,
): Promise<VoucherTerms | undefined> {
  const [held] = await heldStatement([merchantId, subject], inTransaction);
  return held;
}

/**
 * One statement takes a use below the limit and writes whose it is: of any number that come at once, each sees the
 * counter that the one before it left. A purchase that had given its use back gets another.
 */
const takeStatement = statement<VoucherTerms & { isWritten: boolean }>(
  'voucher_use_take',
  `WITH taken AS (
     UPDATE vouchers v SET usage_counter = v.usage_counter + 1
     WHERE ${isApplicable} AND (v.usage_limit IS NULL OR v.usage_counter < v.usage_limit)
     RETURNING v.*
   ), written AS (
     INSERT INTO voucher_uses AS u (merchant_id, voucher_id, account_id, item_id, access_fee_id, subject, state, code,
       discount, rebill_discount, discount_period, discount_duration, lapses_at)
     SELECT merchant_id, id, $3, $4, $5, $6, 'reserved', code, discount, rebill_discount, discount_period,
       discount_duration, now() + make_interval(secs => $7)
     FROM taken
     ON CONFLICT (subject) DO UPDATE SET voucher_id = excluded.voucher_id, state = 'reserved', code = excluded.code,
       discount = excluded.discount, rebill_discount = excluded.rebill_discount,
       discount_period = excluded.discount_period, discount_duration = excluded.discount_duration,
       lapses_at = excluded.lapses_at, settled_at = NULL
     WHERE u.merchant_id = excluded.merchant_id AND u.state NOT IN ('reserved', 'confirmed')
     RETURNING u.id
   )
   SELECT t.id AS "voucherId", ${terms('t')}, EXISTS (SELECT FROM written) AS "isWritten" FROM taken t`,
);

/** Undefined when the voucher is not good for it, or all its uses are taken. */
export async function takeUse(
  wanted: Wanted,
  subject: string,
  lifetimeSeconds: number,
  inTransaction: Transaction,
): Promise<VoucherTerms | undefined> {
  const [taken] = await takeStatement([...valuesOf(wanted), subject, lifetimeSeconds], inTransaction);
  // Another transaction has reserved for the same purchase meanwhile: the caller's is undone with the use it took.
  if (taken && !taken.isWritten) throw new Error(`the purchase ${subject} has a voucher already`);
  return taken;
}

/** Frees reservations whose hour is over: in the order of their rows, then the vouchers', so that no two wait in a ring. */
const freeing = (which: string) => `
  WITH lapsed AS (
    SELECT id FROM voucher_uses WHERE state = 'reserved' AND lapses_at <= now() AND ${which} ORDER BY id FOR UPDATE
  ), freed AS (
    UPDATE voucher_uses SET state = 'lapsed', settled_at = now() WHERE id IN (SELECT id FROM lapsed) RETURNING voucher_id
  )
  UPDATE vouchers v SET usage_counter = v.usage_counter - f.uses
  FROM (SELECT voucher_id, count(*)::int AS uses FROM freed GROUP BY voucher_id) AS f
  WHERE v.id = f.voucher_id`;

const freeByCodeStatement = statement(
  'voucher_free_by_code',
  freeing(`voucher_id IN (SELECT id FROM vouchers WHERE merchant_id = $1 AND canonical_code = ANY($2::text[])
    AND deleted_at IS NULL)`),
);

/** After it another try may succeed even where nothing was left to free: somebody else has freed it meanwhile. */
export async function freeLapsed({ merchantId, codes }: Wanted, inTransaction: Transaction): Promise<void> {
  await freeByCodeStatement([merchantId, codes], inTransaction);
}

const freeByVoucherStatement = statement('voucher_free', freeing('voucher_id = $1'));

/** The same of one voucher. */
export async function freeLapsedOf(voucherId: number, inTransaction: Transaction): Promise<void> {
  await freeByVoucherStatement([voucherId], inTransaction);
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

/** A gift is redeemed with the confirmation of its one use. */
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
 * For a reservation that has lapsed meanwhile, if the limit still has room. What else is asked of a voucher was asked when
 * it was reserved; only a gift that was refunded since is gone.
 */
const retakeStatement = statement<{ id: number }>(
  'voucher_use_retake',
  `WITH lapsed AS (
     SELECT id, voucher_id FROM voucher_uses WHERE subject = $1 AND state IN ('lapsed', 'released') FOR UPDATE
   ), taken AS (
     UPDATE vouchers v SET usage_counter = v.usage_counter + 1 FROM lapsed
     WHERE v.id = lapsed.voucher_id AND (v.usage_limit IS NULL OR v.usage_counter < v.usage_limit)
       AND NOT (v.is_gift AND v.deleted_at IS NOT NULL)
     RETURNING lapsed.id
   )
   UPDATE voucher_uses SET state = 'reserved', settled_at = NULL WHERE id IN (SELECT id FROM taken) RETURNING id`,
);

/** What becomes of a reservation. */
export type Step = 'hold' | 'confirm';
const steps = { hold: holdStatement, confirm: confirmStatement };

/** False only when the reservation has lapsed and others have all the uses. A purchase without a voucher passes. */
export async function keepUse(step: Step, subject: string, inTransaction: Transaction): Promise<boolean> {
  const [kept] = await steps[step]([subject], inTransaction);
  if (kept) return true;
  const [use] = await useStateStatement([subject], inTransaction);
  if (use?.state !== 'lapsed' && use?.state !== 'released') return true;
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

/** Once: a use that is not in the state it is given back from stays as it is. */
export async function giveBack(
  subject: string,
  move: { from: 'reserved'; to: 'released' } | { from: 'confirmed'; to: 'returned' },
  inTransaction: Transaction,
): Promise<void> {
  await giveBackStatement([subject, move.from, move.to], inTransaction);
}
