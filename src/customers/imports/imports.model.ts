import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

export interface KnownCustomer {
  id: number;
  uuid: string;
  merchantUuid: string;
  emailNormalized: string;
  isActive: boolean;
}

const known = `SELECT id, uuid, merchant_uuid AS "merchantUuid", email_normalized AS "emailNormalized",
    is_active AS "isActive" FROM accounts
  WHERE merchant_id = $1 AND role = 'consumer' AND email_normalized = ANY ($2) ORDER BY id`;
const knownStatement = statement<KnownCustomer>('import_customers', known);
const lockStatement = statement<KnownCustomer>('import_customers_lock', `${known} FOR NO KEY UPDATE`);

/** The customers of the merchant with these addresses, by address. */
export async function findCustomers(merchantId: number, addresses: readonly string[]) {
  return byAddress(await knownStatement([merchantId, addresses]));
}

/** Locks them until the commit, so that they are not erased in parallel and get no access twice. */
export async function lockCustomers(inTransaction: Transaction, merchantId: number, addresses: readonly string[]) {
  return byAddress(await lockStatement([merchantId, addresses], inTransaction));
}

const byAddress = (customers: readonly KnownCustomer[]) =>
  new Map(customers.map((customer) => [customer.emailNormalized, customer]));

const itemsStatement = statement<{ id: number }>(
  'import_items',
  'SELECT id FROM items WHERE merchant_id = $1 AND id = ANY ($2)',
);

/** The items of the merchant among these. */
export async function findItems(merchantId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await itemsStatement([merchantId, ids])).map(({ id }) => id));
}

export interface WantedAccess {
  accountId: number;
  itemId: number;
  until: Date;
}

const heldStatement = statement<{ place: number }>(
  'import_accesses',
  `SELECT wanted.place::int AS place
   FROM unnest($1::int[], $2::int[], $3::timestamptz[]) WITH ORDINALITY AS wanted (account_id, item_id, until, place)
   WHERE EXISTS (SELECT FROM accesses a WHERE a.account_id = wanted.account_id AND a.item_id = wanted.item_id AND (
     a.revoked_at IS NULL AND a.expires_at >= wanted.until
     OR a.source = 'grant' AND coalesce(a.original_expires_at, a.expires_at) = wanted.until))`,
);

/**
 * Which of the wanted accesses need not be given: the customer has access for so long, or was given exactly this access
 * by hand before, even if it was revoked. So a file that is imported again changes nothing.
 */
export async function findHeld(
  wanted: readonly WantedAccess[],
  inTransaction?: Transaction,
): Promise<ReadonlySet<WantedAccess>> {
  const values = [
    wanted.map(({ accountId }) => accountId),
    wanted.map(({ itemId }) => itemId),
    wanted.map(({ until }) => until),
  ];
  const held = await heldStatement(values, inTransaction);
  return new Set(held.flatMap(({ place }) => wanted[place - 1] ?? []));
}
