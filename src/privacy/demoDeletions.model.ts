import { type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { gone, goneTokens, ofGonePurchase } from './demoKeeping.model';

/** Deletes the rows of demo data that do not stay. `$1` is the id of the filling. */

const accounts = gone('account');
/** Also customers who stay without their purchases. */
const buyers = `SELECT row_id FROM demo_rows WHERE fill_id = $1 AND kind = 'account' AND keeps <> 'all'`;
const subscriptions = gone('subscription');
const charges = `SELECT id FROM charges WHERE subscription_id IN (${subscriptions})
  OR payment_id IN (${gone('payment')})`;
const ofCharge = (table: string) => `DELETE FROM ${table} WHERE charge_id IN (${charges})`;
const ofSubscription = (table: string) => `DELETE FROM ${table} WHERE subscription_id IN (${subscriptions})`;
const ofAccount = (table: string) => `DELETE FROM ${table} WHERE account_id IN (${accounts})`;
const ofBuyer = (table: string) => `DELETE FROM ${table} WHERE account_id IN (${buyers})`;
const ofItem = (table: string) => `DELETE FROM ${table} WHERE item_id IN (${gone('item')})`;
const ofSession = (table: string) =>
  `DELETE FROM ${table} t USING sessions s WHERE s.id = t.session_id AND s.account_id IN (${accounts})`;

const balanceMovements = `SELECT t.id FROM balance_transactions t JOIN charges c ON c.reference = t.charge_reference
  WHERE t.merchant_id = c.merchant_id AND c.id IN (${charges})`;

/** A row is deleted before the row that it names. Figures subtract a charge and a step while their purchase is there. */
const deletions = [
  // Books and documents.
  `DELETE FROM invoice_buyers b USING invoices i WHERE i.id = b.invoice_id AND i.charge_id IN (${charges})`,
  ...[
    'invoices',
    'tax_reversals',
    'provider_taxes',
    'dispute_taxes',
    'refund_taxes',
    'charge_taxes',
    'balance_differences',
  ].map(ofCharge),
  `DELETE FROM journal_entries WHERE kind = 'fee' AND about IN (
     SELECT 'balance_transaction:' || id FROM (${balanceMovements}) moved)`,
  `DELETE FROM balance_transactions WHERE id IN (${balanceMovements})`,
  ...['journal_entries', 'revenue_schedules', 'credit_losses', 'disputes', 'refunds'].map(ofCharge),
  ...['subscription_events', 'mrr_movements', 'subscription_reminders', 'cancel_offer_presentations'].map(
    ofSubscription,
  ),
  `DELETE FROM card_setups WHERE account_id IN (${accounts}) OR subscription_id IN (${subscriptions})
     OR changed_subscription_id IN (${subscriptions})`,
  `DELETE FROM charges WHERE id IN (${charges})`,
  ...['balance_movements', 'customer_balances', 'paying_customers'].map(ofBuyer),

  // What a purchase gave and used.
  `DELETE FROM accesses a WHERE ${ofGonePurchase('a')}`,
  `DELETE FROM used_trials WHERE subject IN (${goneTokens})`,
  `WITH uses AS (DELETE FROM voucher_uses WHERE subject IN (${goneTokens}) RETURNING voucher_id, state)
   UPDATE vouchers v SET usage_counter = v.usage_counter - u.counted
   FROM (SELECT voucher_id, count(*) AS counted FROM uses WHERE state IN ('reserved', 'confirmed') GROUP BY voucher_id) u
   WHERE v.id = u.voucher_id`,
  `DELETE FROM mails WHERE account_id IN (${accounts})
     OR id IN (SELECT mail_id FROM gift_vouchers WHERE payment_token IN (${goneTokens}))`,
  `DELETE FROM voucher_rules WHERE voucher_id IN (${gone('voucher')})
     OR voucher_id IN (SELECT voucher_id FROM gift_vouchers WHERE payment_token IN (${goneTokens}))`,
  `WITH gifts AS (DELETE FROM gift_vouchers WHERE payment_token IN (${goneTokens}) RETURNING voucher_id)
   DELETE FROM vouchers WHERE id IN (SELECT voucher_id FROM gifts)`,

  // The purchases, with the cards that paid them.
  `DELETE FROM default_cards WHERE account_id IN (${accounts}) OR card_id IN (${paidWith('subscriptions')})
     OR card_id IN (${paidWith('payments')})`,
  `WITH cards_used AS (${paidWith('subscriptions')} UNION ${paidWith('payments')}),
   ended AS (DELETE FROM subscriptions WHERE id IN (${subscriptions})),
   paid AS (DELETE FROM payments WHERE id IN (${gone('payment')}))
   DELETE FROM cards WHERE account_id IN (${accounts}) OR id IN (SELECT card_id FROM cards_used)`,

  // Customers.
  ...['refresh_tokens', 'passkey_challenges', 'pin_codes'].map(ofSession),
  ...['sessions', 'mailed_tokens', 'recovery_codes', 'sign_in_challenges', 'device_pairings', 'pin_codes'].map(
    ofAccount,
  ),
  ofAccount('email_changes'),
  `DELETE FROM idempotency_keys WHERE scope IN (SELECT 'account:' || row_id FROM (${accounts}) a)`,
  `DELETE FROM mail_requests r USING accounts a WHERE a.id IN (${accounts}) AND r.merchant_id = a.merchant_id
     AND r.email_normalized = a.email_normalized`,
  `DELETE FROM webhook_deliveries d USING demo_fills f WHERE f.id = $1 AND d.merchant_id = f.merchant_id
     AND d.about_account_id IN (${accounts})`,
  ...['events', 'provider_customers', 'payload_keys', 'account_operations'].map(ofAccount),
  // Replicas drop an account from memory when it is not active any more.
  `UPDATE accounts SET is_active = false WHERE id IN (${accounts}) AND is_active AND erased_at IS NULL`,
  `DELETE FROM accounts WHERE id IN (${accounts})`,

  // The catalogue.
  `DELETE FROM vouchers WHERE id IN (${gone('voucher')})`,
  `DELETE FROM access_fees WHERE id IN (${gone('access_fee')})`,
  `DELETE FROM access_types WHERE id IN (${gone('access_type')})`,
  ...['item_metadata', 'item_tax_kinds', 'item_country_sets', 'age_restrictions', 'domain_restrictions'].map(ofItem),
  `DELETE FROM items WHERE id IN (${gone('item')})`,
];

function paidWith(table: string): string {
  const kind = table === 'payments' ? 'payment' : 'subscription';
  return `SELECT card_id FROM ${table} WHERE card_id IS NOT NULL AND id IN (${gone(kind)})`;
}

/** The revenue of days is one entry for all sales of a day, so it is booked again without demo data. */
const forgetRecognition = `DELETE FROM journal_entries e USING demo_fills f
  WHERE f.id = $1 AND e.merchant_id = f.merchant_id AND e.kind = 'recognition'`;
const resetRecognition = `WITH booked AS (
    DELETE FROM revenue_recognitions r USING demo_fills f WHERE f.id = $1 AND r.merchant_id = f.merchant_id
    RETURNING r.merchant_id, r.to_day)
  SELECT merchant_id AS "merchantId", to_day::text AS "toDay" FROM booked`;

export async function deleteDemoRows(inTransaction: Transaction, fillId: number): Promise<void> {
  for (const text of deletions) await execute(inTransaction, text, [fillId]);
  await execute(inTransaction, forgetRecognition, [fillId]);
  const booked = await execute<{ merchantId: number; toDay: string }>(inTransaction, resetRecognition, [fillId]);
  for (const { merchantId, toDay } of booked)
    await execute(inTransaction, 'SELECT recognise_revenue($1, $2::date)', [merchantId, toDay]);
}

/** The tables from which rows are deleted. */
export const emptiedTables: readonly string[] = [
  ...new Set(deletions.flatMap((text) => [...text.matchAll(/DELETE FROM (\w+)/g)].map(([, table = '']) => table))),
];

/** The messages to runs of purchases that were deleted. */
export async function deleteMessages(inTransaction: Transaction, workflowIds: readonly string[]): Promise<void> {
  await execute(inTransaction, 'DELETE FROM outbox WHERE workflow_id = ANY($1::text[])', [workflowIds]);
}

export interface DemoRun {
  kind: 'subscription' | 'payment' | 'refund';
  token: string;
}

/** The runs of purchases that do not stay. */
export function listDemoRuns(inTransaction: Transaction, fillId: number): Promise<DemoRun[]> {
  return execute<DemoRun>(
    inTransaction,
    `SELECT 'subscription' AS kind, token FROM subscriptions WHERE id IN (${subscriptions})
     UNION ALL SELECT 'payment', token FROM payments WHERE id IN (${gone('payment')})
     UNION ALL SELECT 'refund', token FROM refunds WHERE charge_id IN (${charges})`,
    [fillId],
  );
}
