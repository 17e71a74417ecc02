import { batched } from '../adapters/postgres/batch';
import { boolean, defaulted, integer, modelOf, nullable, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** The source of an entitlement. */
export type AccessSource = 'subscription' | 'payment' | 'voucher' | 'gift' | 'grant' | 'freemium' | 'code' | 'external';

/** An entitlement. `source` and `sourceId` identify its source, which has one row. */
export class Access extends modelOf({
  id: serial(),
  merchantId: integer(),
  accountId: integer(),
  itemId: integer(),
  accessFeeId: nullable(integer()),
  source: text<AccessSource>(),
  sourceId: integer(),
  environment: text(),
  ipAddress: defaulted(text()),
  startsAt: time(),
  expiresAt: time(),
  /** The end before an extension. */
  originalExpiresAt: nullable(time()),
  /** The start of its time, if it was bought to follow other access. */
  countsFrom: nullable(time()),
  revokedAt: nullable(time()),
  /** Revoked temporarily. It may be restored. */
  isWithdrawn: defaulted(boolean()),
  createdAt: defaulted(time()),
}) {}
Access.init(Access.columns, { sequelize, tableName: 'accesses' });

/** The data of an access check from the database: the account, and its entitlement that ends last. */
export interface CheckedAccount {
  /** The merchant's current time. */
  present: Date;
  /** Whether a pin was entered in the session in the last 12 hours. */
  hasPin: boolean;
  entitlement: Entitlement | undefined;
}

export interface Entitlement {
  id: number;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
  /** Whether the renewal of its subscription failed, and the grace period has not ended. */
  isInGrace: boolean;
}

export interface CheckKey {
  merchantId: number;
  accountId: number;
  itemId: number;
  /** Undefined if no pin is required. */
  pinOfSession: string | undefined;
}

/** Times are Unix seconds, as in the response: parsing timestamps takes longer than the rest of the row. */
interface CheckRow {
  place: number;
  present: number;
  has_pin: boolean | null;
  id: number | null;
  created_at: number;
  starts_at: number;
  expires_at: number;
  in_grace: boolean | null;
}

/** Uses `date_part`, because `extract` computes in `numeric`, which takes a tenth of the statement's time. */
const seconds = (column: string) => `floor(date_part('epoch', ${column}))::bigint`;

/**
 * Reads everything for the access checks of one turn of the event loop. An item is opened by its own entitlements and
 * by those of every package that contains it now. The entitlement that ends last counts. The session's pin is read only
 * if a rule requires it, because that lookup takes as long as the one of the entitlement. Lookups are lateral and
 * return one row each, so that no plan scans a table. The indexes of entitlements and packages contain all columns that
 * are read. The arrays come from a sub-select, which hides their lengths from the planner. Otherwise, it would plan
 * every call again, for 0.4 ms. The current time is computed like `merchant_now()`, because a call of that function
 * costs as much as a lookup.
 */
const checkStatement = statement<CheckRow>(
  'access_check',
  `SELECT wanted.place::int AS place, ${seconds('at.present')} AS present,
     CASE WHEN wanted.pin_session_id IS NOT NULL THEN (
       SELECT p.validated_at > now() - interval '12 hours' FROM pin_codes p WHERE p.session_id = wanted.pin_session_id LIMIT 1
     ) END AS has_pin,
     found.id, ${seconds('found.created_at')} AS created_at, ${seconds('found.starts_at')} AS starts_at,
     ${seconds('found.expires_at')} AS expires_at, CASE found.source
       WHEN 'subscription' THEN (SELECT s.state = 'past_due' FROM subscriptions s WHERE s.id = found.source_id)
       WHEN 'external' THEN (SELECT p.state = 'grace' FROM store_purchases p WHERE p.access_source_id = found.source_id)
     END AS in_grace
   FROM unnest((SELECT $1::int[]), (SELECT $2::int[]), (SELECT $3::int[]), (SELECT $4::uuid[]))
     WITH ORDINALITY AS wanted (merchant_id, account_id, item_id, pin_session_id, place)
   CROSS JOIN LATERAL (
     SELECT now() + coalesce(
       (SELECT c.ahead FROM test_clocks c WHERE c.merchant_id = wanted.merchant_id), interval '0') AS present
     OFFSET 0
   ) AS at
   LEFT JOIN LATERAL (
     SELECT e.id, e.source, e.source_id, e.created_at, e.starts_at, e.expires_at FROM accesses e
     WHERE e.account_id = wanted.account_id AND e.item_id = ANY (
         ARRAY(SELECT m.package_id FROM package_items m WHERE m.item_id = wanted.item_id) || wanted.item_id)
       AND e.revoked_at IS NULL AND e.starts_at <= at.present AND e.expires_at > at.present AND e.environment = $5
     ORDER BY e.expires_at DESC LIMIT 1
   ) AS found ON true`,
);

/** Reads all checks that arrive together in one statement. */
export const checkReader = (environment: string) =>
  batched(async (wanted: CheckKey[]) => {
    const rows = await checkStatement([
      arrayOf(wanted, ({ merchantId }) => merchantId),
      arrayOf(wanted, ({ accountId }) => accountId),
      arrayOf(wanted, ({ itemId }) => itemId),
      arrayOf(wanted, ({ pinOfSession }) => pinOfSession ?? 'NULL'),
      environment,
    ]);
    const found = new Array<CheckedAccount | undefined>(wanted.length);
    for (const row of rows) found[row.place - 1] = checkedAccount(row);
    return found;
  });

/** A PostgreSQL array literal. Numbers and ids need no escaping. */
const arrayOf = (wanted: readonly CheckKey[], value: (key: CheckKey) => number | string) =>
  `{${wanted.map(value).join(',')}}`;

function checkedAccount(row: CheckRow): CheckedAccount {
  return {
    present: new Date(row.present * 1000),
    hasPin: row.has_pin ?? false,
    entitlement: row.id === null ? undefined : entitlementOf(row, row.id),
  };
}

function entitlementOf(row: CheckRow, id: number): Entitlement {
  return {
    id,
    createdAt: new Date(row.created_at * 1000),
    startsAt: new Date(row.starts_at * 1000),
    expiresAt: new Date(row.expires_at * 1000),
    isInGrace: row.in_grace ?? false,
  };
}

/** The entitlement after the write. */
export interface StoredAccess {
  id: number;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
}

const storedColumns = 'id, created_at AS "createdAt", starts_at AS "startsAt", expires_at AS "expiresAt"';

/**
 * A repeated grant of a source, such as a renewal, changes its entitlement. The start is never later than the merchant's
 * clock, which the access check uses.
 */
const grantWith = (end: string) => `INSERT INTO accesses AS a (merchant_id, account_id, item_id, access_fee_id, source,
     source_id, environment, ip_address, starts_at, expires_at, store_environment, counts_from)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, least($9, merchant_now($1)), $10, $11, $12)
   ON CONFLICT (source, source_id) DO UPDATE SET
     original_expires_at = CASE WHEN excluded.expires_at > a.expires_at THEN coalesce(a.original_expires_at, a.expires_at)
       ELSE a.original_expires_at END,
     expires_at = ${end}
   RETURNING ${storedColumns}`;

const grantStatement = statement<StoredAccess>(
  'access_grant',
  grantWith('greatest(a.expires_at, excluded.expires_at)'),
);
const grantUntilStatement = statement<StoredAccess>('access_grant_until', grantWith('excluded.expires_at'));

/** The entitlement is never shortened. */
export async function insertAccess(inTransaction: Transaction, values: unknown[]): Promise<StoredAccess> {
  const [access] = await grantStatement(values, inTransaction);
  if (!access) throw new Error('a granted access was not returned');
  return access;
}

/** The entitlement ends at the given time, earlier or later than before. */
export async function insertAccessUntil(inTransaction: Transaction, values: unknown[]): Promise<void> {
  await grantUntilStatement(values, inTransaction);
}

// The statement reads the item again, because the cached item of the caller can be out of date.
const freeStatement = statement<StoredAccess>(
  'access_free_grant',
  `INSERT INTO accesses (merchant_id, account_id, item_id, access_fee_id, source, source_id, environment, ip_address,
     starts_at, expires_at)
   SELECT $1::int, $2::int, id, $4::int, 'freemium', nextval('access_source_ids'), $5::text, $6::text,
     merchant_now($1::int), $7::timestamptz
   FROM items
   WHERE id = $3 AND is_active AND ($4::int IS NOT NULL OR access_control_type IN ('Auth', 'DataCapture'))
   ON CONFLICT (account_id, item_id) WHERE source = 'freemium' DO NOTHING RETURNING ${storedColumns}`,
);
const freeFoundStatement = statement<StoredAccess>(
  'access_free_found',
  `SELECT ${storedColumns} FROM accesses
   WHERE account_id = $1 AND item_id = $2 AND source = 'freemium' AND revoked_at IS NULL`,
);

/** Undefined if the account has or had access to the item, or if the item is not free any more. */
export async function insertFreeAccess(inTransaction: Transaction, values: unknown[]) {
  const [access] = await freeStatement(values, inTransaction);
  return access;
}

export async function findFreeAccess(inTransaction: Transaction, accountId: number, itemId: number) {
  const [access] = await freeFoundStatement([accountId, itemId], inTransaction);
  return access;
}

const packagesStatement = statement<{ package_id: number }>(
  'access_packages_of_item',
  'SELECT package_id FROM package_items WHERE item_id = $1 ORDER BY package_id',
);

/** The packages that contain an item. */
export async function listPackageIds(itemId: number, inTransaction?: Transaction): Promise<number[]> {
  const rows = await packagesStatement([itemId], inTransaction);
  return rows.map(({ package_id: id }) => id);
}

interface RevokedRow {
  account_id: number;
  item_id: number;
  revoked_at: Date;
}

const revokeStatement = statement<RevokedRow>(
  'access_revoke',
  `UPDATE accesses SET revoked_at = merchant_now(merchant_id), is_withdrawn = false
   WHERE id = $1 AND merchant_id = $2 AND (revoked_at IS NULL OR is_withdrawn)
   RETURNING account_id, item_id, revoked_at`,
);

/** Undefined if the entitlement is already revoked, or belongs to another merchant. */
export async function markRevoked(inTransaction: Transaction, merchantId: number, accessId: number) {
  const [row] = await revokeStatement([accessId, merchantId], inTransaction);
  return row;
}
