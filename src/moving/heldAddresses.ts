import { type Client } from 'pg';

/** Merchants, and the staff that was not removed, share their addresses. */
const ofFamily = (account: string) =>
  `(${account}.role = 'merchant' OR (${account}.role = 'staff' AND ${account}.is_active))`;

/**
 * The changes of an address that could not be undone after the import, because the former address belongs to an account of
 * the other side: the arriving merchants, or the installation. An import leaves out the trigger that prevents this.
 */
export async function countHeldAddresses(
  client: Client,
  merchantIds: readonly number[],
): Promise<Record<string, number>> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM email_changes c JOIN accounts a ON a.id = c.account_id AND ${ofFamily('a')}
     WHERE c.undo_until > now() AND EXISTS (
       SELECT FROM accounts o WHERE o.email_normalized = c.former_email_normalized AND ${ofFamily('o')}
         AND (o.merchant_id = ANY($1::int[])) <> (a.merchant_id = ANY($1::int[])))`,
    [merchantIds],
  );
  const count = rows[0]?.count ?? 0;
  return count === 0 ? {} : { email_changes: count };
}
