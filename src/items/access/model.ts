import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { batched } from '../../adapters/postgres/batch';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** What an entitlement comes from. */
export type AccessSource = 'subscription' | 'payment' | 'voucher' | 'gift' | 'grant' | 'freemium' | 'code' | 'external';

/** An entitlement: `source` says what gave it, `sourceId` which one, so that each gives one row. */
export class Access extends Model<InferAttributes<Access>, InferCreationAttributes<Access>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  declare itemId: number;
  declare accessFeeId: CreationOptional<number | null>;
  declare source: AccessSource;
  declare sourceId: number;
  declare environment: string;
  declare ipAddress: CreationOptional<string>;
  declare startsAt: Date;
  declare expiresAt: Date;
  /** Where it was extended: when it would have ended. */
  declare originalExpiresAt: CreationOptional<Date | null>;
  /** Of what was bought to follow on other access: from when its time counts. */
  declare countsFrom: CreationOptional<Date | null>;
  declare revokedAt: CreationOptional<Date | null>;
  /** It was revoked until further notice, and may be given back. */
  declare isWithdrawn: CreationOptional<boolean>;
  declare createdAt: CreationOptional<Date>;
}

Access.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    source: DataTypes.TEXT,
    sourceId: DataTypes.INTEGER,
    environment: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    startsAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    originalExpiresAt: DataTypes.DATE,
    countsFrom: DataTypes.DATE,
    revokedAt: DataTypes.DATE,
    isWithdrawn: DataTypes.BOOLEAN,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'accesses' },
);

/** What the database tells a check of an account, and the entitlement that ends last, if there is one. */
export interface CheckedAccount {
  /** The merchant's time. */
  present: Date;
  /** A pin was entered in the session in the last 12 hours. */
  hasPin: boolean;
  entitlement: Entitlement | undefined;
}

export interface Entitlement {
  id: number;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
  /** Its subscription could not be renewed, and the merchant waits. */
  isInGrace: boolean;
}

export interface CheckKey {
  merchantId: number;
  accountId: number;
  itemId: number;
  /** Undefined: no pin is asked for. */
  pinOfSession: string | undefined;
}

/** Instants in Unix seconds, as they are answered: their texts would take longer to read than all else of a row. */
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

/** By `date_part`: `extract` counts in `numeric`, which takes a tenth of the statement. */
const seconds = (column: string) => `floor(date_part('epoch', ${column}))::bigint`;

/**
 * All that a check asks of the database, for the checks of one turn of the event loop. An item opens by itself and by
 * every package that holds it now; several sources may overlap, and the one that ends last answers (subscriptions 3). The
 * session's pin is looked up only where a rule asks for it: it takes as long as the entitlement.
 * The lookups are lateral and end at one row each, so that no plan ever reads a table through, and the indexes hold all that
 * is read of entitlements and packages, so that most never come to the table. The arrays come through a sub-select, which hides their lengths from the planner: it would else plan anew at each call, for 0.4 ms. The present is
 * that of `merchant_now()`, whose call would cost as much as a lookup.
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

/** A reader that shares one statement among the calls that arrive together. */
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

/** As PostgreSQL writes an array of numbers or ids: there is nothing in them to be escaped. */
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

/** An entitlement as it was written. */
export interface StoredAccess {
  id: number;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
}

const storedColumns = 'id, created_at AS "createdAt", starts_at AS "startsAt", expires_at AS "expiresAt"';

/**
 * A source that gives again, a renewal, extends what it gave and never shortens it. The start is never ahead of the
 * merchant's clock, by which the check decides.
 */
const grantStatement = statement<StoredAccess>(
  'access_grant',
  `INSERT INTO accesses AS a (merchant_id, account_id, item_id, access_fee_id, source, source_id, environment, ip_address,
     starts_at, expires_at, store_environment, counts_from)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, least($9, merchant_now($1)), $10, $11, $12)
   ON CONFLICT (source, source_id) DO UPDATE SET
     original_expires_at = CASE WHEN excluded.expires_at > a.expires_at THEN coalesce(a.original_expires_at, a.expires_at)
       ELSE a.original_expires_at END,
     expires_at = greatest(a.expires_at, excluded.expires_at)
   RETURNING ${storedColumns}`,
);

export async function insertAccess(inTransaction: Transaction, values: unknown[]): Promise<StoredAccess> {
  const [access] = await grantStatement(values, inTransaction);
  if (!access) throw new Error('a granted access was not returned');
  return access;
}

const freeStatement = statement<StoredAccess>(
  'access_free_grant',
  `INSERT INTO accesses (merchant_id, account_id, item_id, access_fee_id, source, source_id, environment, ip_address,
     starts_at, expires_at)
   VALUES ($1, $2, $3, $4, 'freemium', nextval('access_source_ids'), $5, $6, merchant_now($1), $7)
   ON CONFLICT (account_id, item_id) WHERE source = 'freemium' DO NOTHING RETURNING ${storedColumns}`,
);
const freeFoundStatement = statement<StoredAccess>(
  'access_free_found',
  `SELECT ${storedColumns} FROM accesses
   WHERE account_id = $1 AND item_id = $2 AND source = 'freemium' AND revoked_at IS NULL`,
);

/** Undefined when the account has, or had, the item already. */
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

/** The packages that hold an item. */
export async function listPackageIds(itemId: number, inTransaction?: Transaction): Promise<number[]> {
  const rows = await packagesStatement([itemId], inTransaction);
  return rows.map(({ package_id: id }) => id);
}
