import { statement } from '../adapters/postgres/statement';
import { totalOf } from '../adapters/postgres/totals';

/** An item that an account has access to, and the end of that access. */
export interface OwnedItem {
  itemId: number;
  endsAt: Date;
}

const present = '(SELECT merchant_now($2))';
const runningText = `FROM accesses e
  WHERE e.account_id = $1 AND e.merchant_id = $2 AND e.environment = $3 AND e.revoked_at IS NULL
    AND e.starts_at <= ${present} AND e.expires_at > ${present}`;

const ownedStatement = statement<OwnedItem>(
  'site_entitlements',
  `SELECT e.item_id AS "itemId", max(e.expires_at) AS "endsAt" ${runningText}
   GROUP BY e.item_id ORDER BY e.item_id LIMIT $4 OFFSET $5`,
);
const countStatement = statement<{ total: number }>(
  'site_entitlements_count',
  `SELECT count(DISTINCT e.item_id)::int AS total ${runningText}`,
);

/** A page of the items that an account has access to now, in the order of creation. */
export async function findOwnedItems(
  { accountId, merchantId }: { accountId: number; merchantId: number },
  environment: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: OwnedItem[]; total: number }> {
  const values = [accountId, merchantId, environment];
  const rows = await ownedStatement([...values, limit, offset]);
  const key = `entitlements ${accountId} ${merchantId}`;
  const total = await totalOf(key, { limit, offset, found: rows.length }, async () => {
    const [count] = await countStatement(values);
    return count?.total ?? 0;
  });
  return { rows, total };
}
