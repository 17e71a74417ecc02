import { type Client } from 'pg';
import { control, queryBooks } from '../support/providerBooks';
import { type Recorded } from './history';
import { type Violation } from './rules/violation';

/** Faults that are planted after a run, to prove that the checker finds each of them in the books of a real run. */

/** A fault for each rule about the books, as one statement. */
const planted: Record<string, string> = {
  documents: `DELETE FROM invoices WHERE id = (SELECT max(id) FROM invoices WHERE kind = 'invoice')`,
  revenue: `UPDATE mrr_movements SET amount_minor = amount_minor + 1 WHERE id = (SELECT min(id) FROM mrr_movements)`,
  'one order': `UPDATE subscriptions s SET access_fee_id = (SELECT max(id) FROM access_fees f WHERE f.merchant_id = s.merchant_id)
    WHERE id = (SELECT min(id) FROM subscriptions WHERE state = 'active')`,
  mails: `INSERT INTO mails (merchant_id, account_id, recipient, template, language, useful_until)
    SELECT merchant_id, account_id, recipient, template, language, useful_until FROM mails WHERE template = 'receipt' LIMIT 1`,
};

/** The rules that must find a fault. */
export const plantedRules = ['money', 'webhooks', ...Object.keys(planted)];

/** The card of a paid charge is charged again, and one row of each book is lost, changed or doubled. */
export async function plantFaults(client: Client): Promise<void> {
  const text = `SELECT idempotency_key AS key FROM sandbox_charges WHERE status = 'paid' LIMIT 1`;
  const [paid] = (await queryBooks<{ key: string }>(client, text)).rows;
  if (paid) await control('foreign-charges', { key: `${paid.key}:again`, like: paid.key, reference: 'pi_planted' });
  // The tables refuse such changes, unless their triggers are off.
  await client.query('BEGIN; SET LOCAL session_replication_role = replica');
  for (const statement of Object.values(planted)) await client.query(statement);
  await client.query('COMMIT');
}

/** The history without the last event that a back end received. */
export function withoutLastWebhook(history: readonly Recorded[]): Recorded[] {
  const last = history.findLast((entry) => entry.kind === 'received');
  return history.filter((entry) => entry.kind !== 'received' || entry.actor !== last?.actor || entry.id !== last.id);
}

/** The rules that have found nothing new after the faults were planted. */
export function missedRules(before: readonly Violation[], after: readonly Violation[]): string[] {
  const count = (violations: readonly Violation[], wanted: string) =>
    violations.filter(({ rule }) => rule === wanted).length;
  return plantedRules.filter((rule) => count(after, rule) <= count(before, rule));
}
