import { type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';

/**
 * Which rows of demo data stay, because rows of a person need them. `$1` is the id of the filling. A customer stays with its
 * purchases if a person has bought something as this customer. A customer to whom a person gave something else stays alone.
 */

const made = (kind: string) => `SELECT row_id FROM demo_rows WHERE fill_id = $1 AND kind = '${kind}'`;

/** The rows of a kind that do not stay. */
export const gone = (kind: string) => `${made(kind)} AND keeps = 'nothing'`;

/** The tokens of the purchases that do not stay. */
export const goneTokens = `SELECT token FROM subscriptions WHERE id IN (${gone('subscription')})
  UNION ALL SELECT token FROM payments WHERE id IN (${gone('payment')})`;

/** The vouchers that do not stay, with those of gifts. */
const goneVouchers = `${gone('voucher')}
  UNION ALL SELECT voucher_id FROM gift_vouchers WHERE payment_token IN (${goneTokens})`;

/** Whether an entitlement comes from a purchase that does not stay. */
export const ofGonePurchase = (access: string) =>
  `(${access}.source = 'subscription' AND ${access}.source_id IN (${gone('subscription')})
    OR ${access}.source = 'payment' AND ${access}.source_id IN (${gone('payment')}))`;

/** A condition for each table in which a row of a person can name the row `r`. */
type Needs = readonly (readonly [table: string, condition: string])[];

const buys: Needs = [
  ['subscriptions', `t.account_id = r.row_id AND t.id NOT IN (${made('subscription')})`],
  ['payments', `t.account_id = r.row_id AND t.id NOT IN (${made('payment')})`],
  ['store_purchases', 't.account_id = r.row_id'],
  ['external_payments', 't.account_id = r.row_id'],
  ['unmatched_payments', 't.account_id = r.row_id'],
  ['gift_vouchers', `r.row_id IN (t.buyer_account_id, t.redeemed_by) AND t.state = 'redeemed'`],
  // A balance that a person has changed is the sum of all movements.
  ['balance_movements', 't.account_id = r.row_id AND t.charge_id IS NULL'],
  ['account_operations', 't.account_id = r.row_id AND t.next_due_at IS NOT NULL'],
];

const customers: Needs = [
  ['accesses', `t.account_id = r.row_id AND NOT ${ofGonePurchase('t')}`],
  ['voucher_rules', `t.account_id = r.row_id AND t.voucher_id NOT IN (${goneVouchers})`],
  ['audit_log', 't.merchant_id = r.merchant_id AND t.actor_account_id = r.row_id'],
  ...[
    ...['profiles', 'media_favorites', 'media_watches', 'external_accounts', 'billing_details', 'social_identities'],
    ...['company_identities', 'passkeys', 'second_factors'],
  ].map((table) => [table, 't.account_id = r.row_id'] as const),
];

const vouchers: Needs = [
  ['subscriptions', `t.voucher_id = r.row_id AND t.id NOT IN (${gone('subscription')})`],
  ['voucher_uses', `t.voucher_id = r.row_id AND t.subject NOT IN (${goneTokens})`],
];

/** The rows that name an item as well as a fee. */
const sales = (column: string): Needs => [
  ['subscriptions', `t.${column} = r.row_id AND t.id NOT IN (${gone('subscription')})`],
  ['payments', `t.${column} = r.row_id AND t.id NOT IN (${gone('payment')})`],
  ['accesses', `t.${column} = r.row_id AND NOT ${ofGonePurchase('t')}`],
  ['voucher_rules', `t.${column} = r.row_id AND t.voucher_id NOT IN (${goneVouchers})`],
  ['voucher_uses', `t.${column} = r.row_id AND t.subject NOT IN (${goneTokens})`],
  ['gift_vouchers', `t.${column} = r.row_id AND t.payment_token NOT IN (${goneTokens})`],
  ['cancel_offers', `t.${column} = r.row_id`],
  ['store_purchases', `t.${column} = r.row_id`],
];

const fees: Needs = [
  ...sales('access_fee_id'),
  ['subscriptions', `t.pending_access_fee_id = r.row_id AND t.id NOT IN (${gone('subscription')})`],
  ['access_fees', `t.replaced_by = r.row_id AND t.id NOT IN (${gone('access_fee')})`],
  ['external_fees', 't.access_fee_id = r.row_id'],
  ['external_payments', 't.access_fee_id = r.row_id'],
];

const items: Needs = [
  ...sales('item_id'),
  ['access_fees', `t.item_id = r.row_id AND t.id NOT IN (${gone('access_fee')})`],
  ['package_items', `r.row_id IN (t.item_id, t.package_id)`],
  ['access_codes', 't.item_id = r.row_id'],
  ['used_trials', `t.item_id = r.row_id AND t.subject NOT IN (${goneTokens})`],
  ['external_accounts', 't.item_id = r.row_id'],
];

const needed = (needs: Needs) =>
  needs.map(([table, condition]) => `EXISTS (SELECT FROM ${table} t WHERE ${condition})`).join('\n     OR ');

const keep = (kind: string, keeps: 'row' | 'all', condition: string) =>
  `UPDATE demo_rows r SET keeps = '${keeps}' WHERE r.fill_id = $1 AND r.kind = '${kind}' AND r.keeps = 'nothing'
     AND (${condition})`;

/** A purchase stays with its customer, also with one who was a customer before. */
const staysWithCustomer = (table: string) =>
  `EXISTS (SELECT FROM ${table} t WHERE t.id = r.row_id AND t.account_id NOT IN (
     SELECT row_id FROM demo_rows WHERE fill_id = $1 AND kind = 'account' AND keeps <> 'all'))`;

/** In an order in which each statement knows what the rows before it leave. */
const marks = [
  `UPDATE demo_rows r SET keeps = 'nothing' WHERE r.fill_id = $1`,
  keep('account', 'all', needed(buys)),
  keep('subscription', 'row', staysWithCustomer('subscriptions')),
  keep('payment', 'row', staysWithCustomer('payments')),
  keep('voucher', 'row', needed(vouchers)),
  keep('account', 'row', needed(customers)),
  keep('access_fee', 'row', needed(fees)),
  keep('item', 'row', needed(items)),
  keep(
    'access_type',
    'row',
    needed([['access_fees', `t.access_type_id = r.row_id AND t.id NOT IN (${gone('access_fee')})`]]),
  ),
];

export async function markKept(inTransaction: Transaction, fillId: number): Promise<void> {
  for (const text of marks) await execute(inTransaction, text, [fillId]);
}

/** The tables in which a row of a person is looked for. */
export const searchedTables: readonly string[] = [
  ...new Set([...buys, ...customers, ...vouchers, ...fees, ...items].map(([table]) => table)),
];

const locked: readonly (readonly [kind: string, table: string])[] = [
  ['subscription', 'subscriptions'],
  ['payment', 'payments'],
  ['item', 'items'],
  ['access_type', 'access_types'],
  ['access_fee', 'access_fees'],
  ['voucher', 'vouchers'],
  ['account', 'accounts'],
];

/** Waits for transactions that write for a row of demo data. Later ones wait until the removal has committed. */
export async function lockDemoRows(inTransaction: Transaction, fillId: number): Promise<void> {
  for (const [kind, table] of locked)
    await execute(inTransaction, `SELECT FROM ${table} WHERE id IN (${made(kind)}) ORDER BY id FOR UPDATE`, [fillId]);
}
