import { LRUCache } from 'lru-cache';
import { getAccountRow } from '../../accounts/service';
import { environmentName } from '../../adapters/settings';
import { batched } from '../../adapters/postgres/batch';
import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { describeItemWithContent, getItemById } from '../service';
import { Access } from './model';
import { presentAccess } from './presenter';

type DescribedItem = ReturnType<typeof describeItemWithContent>;

/** Which entitlement to give: `source` and `sourceId` say what for, so that giving it twice gives it once. */
export interface Grant {
  merchantId: number;
  account: { id: number; uuid: string; merchantUuid: string };
  itemId: number;
  accessFeeId: number;
  source: 'subscription';
  sourceId: number;
  ipAddress: string;
  startsAt: Date;
  expiresAt: Date;
}

// Items change seldom and are read at every playback; a change drops the item from every replica's memory by NOTIFY,
// and what a lost NOTIFY leaves behind ends after a minute. Entitlements are never remembered.
const items = new LRUCache<number, DescribedItem>({ max: 5_000, ttl: 60_000 });

/**
 * The access check that every playback makes: the content, or 402 `Asset access not found`. The item comes from memory,
 * the entitlement always from the database, in one statement shared by the checks that arrive together.
 */
export async function checkAccess(caller: Caller, itemId: number) {
  const item = items.get(itemId) ?? (await loadItem(itemId));
  if (item.merchant_id !== caller.merchantId) throw new AppError('item_not_found');
  const access = await findEntitlement({ accountId: caller.accountId, itemId });
  if (!access) throw new AppError('access_not_found');
  return presentAccess(
    {
      id: access.id,
      accountId: caller.accountId,
      accountUuid: caller.accountUuid,
      ipAddress: caller.clientAddress,
      createdAt: access.created_at,
      startsAt: access.starts_at,
      expiresAt: access.expires_at,
    },
    item,
  );
}

/** Drops an item from this replica's memory: some replica has changed it. */
export function forgetItem(itemId: number): void {
  items.delete(itemId);
}

export function forgetAllItems(): void {
  items.clear();
}

/**
 * A source that gives again, a renewal, extends what it gave and never shortens it. The start is never ahead of the
 * database's clock, by which the check decides.
 */
const grantStatement = statement<{ id: number; created_at: Date }>(
  'access_grant',
  `INSERT INTO accesses AS a (merchant_id, account_id, item_id, access_fee_id, source, source_id, environment, ip_address,
     starts_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, least($9, now()), $10)
   ON CONFLICT (source, source_id) DO UPDATE SET expires_at = greatest(a.expires_at, excluded.expires_at)
   RETURNING id, created_at`,
);

/** Gives an entitlement, and answers what `access.granted` tells of it. */
export async function grantAccess(inTransaction: Transaction, grant: Grant) {
  const values = [
    grant.merchantId,
    grant.account.id,
    grant.itemId,
    grant.accessFeeId,
    grant.source,
    grant.sourceId,
    environmentName,
    grant.ipAddress,
    grant.startsAt,
    grant.expiresAt,
  ];
  const [access] = await grantStatement(values, inTransaction);
  if (!access) throw new Error('a granted access was not returned');
  const item = await getItemById(grant.itemId, inTransaction);
  return presentAccess(
    {
      id: access.id,
      accountId: grant.account.id,
      accountUuid: grant.account.uuid,
      ipAddress: grant.ipAddress,
      createdAt: access.created_at,
      startsAt: grant.startsAt,
      expiresAt: grant.expiresAt,
    },
    describeItemWithContent({ item, merchantUuid: grant.account.merchantUuid }),
  );
}

/** Ends what a source gave, at an instant. */
export async function endAccess(
  inTransaction: Transaction,
  given: { source: 'subscription'; sourceId: number },
  endsAt: Date,
): Promise<void> {
  await Access.update({ expiresAt: endsAt }, { where: given, transaction: inTransaction });
}

async function loadItem(itemId: number): Promise<DescribedItem> {
  const item = await getItemById(itemId);
  const merchant = await getAccountRow(item.merchantId);
  const described = describeItemWithContent({ item, merchantUuid: merchant.uuid });
  items.set(itemId, described);
  return described;
}

interface EntitlementRow {
  id: number;
  place: number;
  created_at: Date;
  starts_at: Date;
  expires_at: Date;
}

/** Several sources may overlap: the one that ends last answers (subscriptions 3). */
const entitlementStatement = statement<EntitlementRow>(
  'access_entitlements',
  `SELECT wanted.place::int AS place, found.*
   FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS wanted (account_id, item_id, place)
   CROSS JOIN LATERAL (
     SELECT id, created_at, starts_at, expires_at FROM accesses a
     WHERE a.account_id = wanted.account_id AND a.item_id = wanted.item_id AND a.revoked_at IS NULL
       AND a.starts_at <= now() AND a.expires_at > now()
     ORDER BY a.expires_at DESC LIMIT 1
   ) AS found`,
);

const findEntitlement = batched(async (wanted: { accountId: number; itemId: number }[]) => {
  const rows = await entitlementStatement([
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ itemId }) => itemId),
  ]);
  const found = new Array<EntitlementRow | undefined>(wanted.length);
  for (const row of rows) found[row.place - 1] = row;
  return found;
});
