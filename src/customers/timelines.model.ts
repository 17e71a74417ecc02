import { query } from '../adapters/postgres/statement';
import { shownReason } from '../subscriptions/transitions.model';

/** Texts are empty and the amount is null if there is no value. */
export interface TimelineRow {
  kind: 'subscription' | 'payment' | 'refund' | 'access' | 'gift' | 'store' | 'audit' | 'session';
  type: string;
  title: string;
  reason: string;
  amountMinor: number | null;
  currency: string;
  /** The token of the purchase that the entry is about. */
  reference: string;
  /** The kind of workflow that caused the entry; empty if there is none. */
  run: '' | 'subscription' | 'payment' | 'refund' | 'store';
  happenedAt: Date;
}

const columns = 'kind, type, item_id, reason, amount_minor, currency, reference, run, at, place';

/**
 * One branch for each table that is kept as long as the account. Events are deleted after seven days, so they are not
 * included. Each branch returns its values in the order of `columns`.
 */
const branches = [
  `SELECT 'subscription', CASE WHEN e.from_state = e.to_state THEN 'subscription.changed'
       ELSE 'subscription.' || e.to_state END, s.item_id, ${shownReason}, NULL::bigint, '', s.token,
     'subscription', e.created_at, e.id
   FROM subscriptions s JOIN subscription_events e ON e.subscription_id = s.id
   WHERE s.merchant_id = $1 AND s.account_id = $2`,
  `SELECT 'payment', 'payment.paid', coalesce(s.item_id, p.item_id), '', c.amount_minor, c.currency,
     coalesce(s.token, p.token), CASE WHEN s.id IS NULL THEN 'payment' ELSE 'subscription' END, c.settled_at, c.id::bigint
   FROM charges c LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
   WHERE c.merchant_id = $1 AND c.account_id = $2 AND c.status = 'paid'`,
  `SELECT 'payment', 'payment.failed', item_id, coalesce(failure_reason, ''), NULL::bigint, '', token, 'payment', updated_at,
     id::bigint
   FROM payments WHERE merchant_id = $1 AND account_id = $2 AND state = 'failed'`,
  `SELECT 'refund', 'refund.refunded', coalesce(s.item_id, p.item_id), '', r.amount_minor, r.currency, r.token,
     'refund', r.settled_at, r.id::bigint
   FROM refunds r JOIN charges c ON c.id = r.charge_id
     LEFT JOIN subscriptions s ON s.id = c.subscription_id LEFT JOIN payments p ON p.id = c.payment_id
   WHERE r.merchant_id = $1 AND r.account_id = $2 AND r.state = 'refunded'`,
  `SELECT 'access', 'access.granted', item_id, source, NULL::bigint, '', '', '', created_at, id::bigint
   FROM accesses WHERE merchant_id = $1 AND account_id = $2`,
  `SELECT 'access', 'access.revoked', item_id, source, NULL::bigint, '', '', '', revoked_at, id::bigint
   FROM accesses WHERE merchant_id = $1 AND account_id = $2 AND revoked_at IS NOT NULL`,
  `SELECT 'gift', 'gift.bought', item_id, '', amount_minor, currency, payment_token, 'payment', bought_at, id::bigint
   FROM gift_vouchers WHERE merchant_id = $1 AND buyer_account_id = $2`,
  `SELECT 'gift', 'gift.redeemed', item_id, '', NULL::bigint, '', payment_token, 'payment', redeemed_at, id::bigint
   FROM gift_vouchers WHERE merchant_id = $1 AND redeemed_by = $2`,
  `SELECT 'store', 'store.' || e.to_state, x.item_id, x.store, NULL::bigint, '', x.token, 'store', e.created_at, e.id
   FROM store_purchases x JOIN store_purchase_events e ON e.store_purchase_id = x.id
   WHERE x.merchant_id = $1 AND x.account_id = $2`,
  `SELECT 'audit', action, NULL::int, '', NULL::bigint, '', '', '', created_at, sequence
   FROM audit_log WHERE merchant_id = $1 AND object_type = 'account' AND object_id = $2::text`,
  `SELECT 'session', 'session.start', NULL::int, '', NULL::bigint, '', '', '', created_at, 0::bigint
   FROM sessions WHERE merchant_id = $1 AND account_id = $2`,
].map((text) => `SELECT * FROM (${text}) b (${columns})`);
const until = (branch: string) => `${branch} WHERE $5::timestamptz IS NULL OR at <= $5`;

const pageText = `SELECT e.kind, e.type, coalesce(i.title, '') AS title, e.reason, e.amount_minor AS "amountMinor", e.currency,
    e.reference, e.run, e.at AS "happenedAt"
  FROM (SELECT * FROM (
      ${branches.map((branch) => `(${until(branch)} ORDER BY at DESC, place DESC LIMIT $3::int + $4::bigint)`).join(' UNION ALL ')}
    ) entries ORDER BY at DESC, place DESC, kind, type LIMIT $3 OFFSET $4) e
  LEFT JOIN items i ON i.id = e.item_id ORDER BY e.at DESC, e.place DESC, e.kind, e.type`;

const countText = `SELECT ${branches.map((branch) => `(SELECT count(*) FROM (${branch}) b)`).join(' + ')} AS total`;

interface TimelinePage {
  limit: number;
  offset: number;
  /** Later entries are left out. */
  until?: Date | string | undefined;
}

/** Selects the entries of one account, newest first. */
export function selectTimeline(merchantId: number, accountId: number, { limit, offset, until: last }: TimelinePage) {
  return query<TimelineRow>(pageText, [merchantId, accountId, limit, offset, last ?? null]);
}

export async function countTimeline(merchantId: number, accountId: number): Promise<number> {
  const [counted] = await query<{ total: string }>(countText, [merchantId, accountId]);
  return Number(counted?.total ?? 0);
}

export async function hasCustomer(merchantId: number, accountId: number): Promise<boolean> {
  const text = `SELECT 1 FROM accounts WHERE merchant_id = $1 AND id = $2 AND role = 'consumer'`;
  return (await query(text, [merchantId, accountId])).length > 0;
}
