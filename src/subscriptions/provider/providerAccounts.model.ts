import {
  boolean,
  bytes,
  defaulted,
  integer,
  jsonb,
  modelOf,
  nullable,
  serial,
  text,
  time,
  uuid,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { execute, statement } from '../../adapters/postgres/statement';

/** As in src/kit/connectStates.ts. */
export type ConnectState = 'onboarding' | 'restricted' | 'active' | 'deauthorized';

/** A payment account that a merchant has connected. */
export class ProviderAccount extends modelOf({
  id: serial(),
  /** Part of the address of the account's notifications. */
  uuid: defaulted(uuid()),
  merchantId: integer(),
  /** `stripe:acct_…`, as in the cards of the account. */
  name: text(),
  /** Null for an account with keys. */
  connectState: nullable(text<ConnectState>()),
  /** The provider's names of what the merchant has to add to a connected account. */
  missing: defaulted(jsonb<string[]>()),
  publishableKey: text(),
  /** Null after the account was disconnected, and for an account below the platform. */
  sealedKeys: nullable(bytes()),
  /** The last four characters of the secret key. */
  keyEnding: text(),
  isLive: boolean(),
  /** False after the merchant has disconnected the account. */
  isConnected: defaulted(boolean()),
  /** New payments go to this account. */
  isCurrent: boolean(),
  /** The problems that the last test found. */
  problems: jsonb<{ field: string; message: string }[]>(),
  checkedAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
ProviderAccount.init(ProviderAccount.columns, { sequelize, tableName: 'provider_accounts' });

/** The data for requests to an account. */
export interface ConnectedAccount {
  id: number;
  merchantId: number;
  name: string;
  publishableKey: string;
  /** Null for an account below the platform. */
  sealedKeys: Buffer | null;
  /** Null for an account with keys. */
  connectState: ConnectState | null;
  isLive: boolean;
}

const columns = `id, merchant_id AS "merchantId", name, publishable_key AS "publishableKey", sealed_keys AS "sealedKeys",
  connect_state AS "connectState", is_live AS "isLive" FROM provider_accounts WHERE is_connected AND`;

const currentStatement = statement<ConnectedAccount>(
  'provider_account_current',
  `SELECT ${columns} merchant_id = $1 AND is_current`,
);
const namedStatement = statement<ConnectedAccount>(
  'provider_account_named',
  `SELECT ${columns} merchant_id = $1 AND name = $2`,
);
const uuidStatement = statement<ConnectedAccount>(
  'provider_account_of_uuid',
  `SELECT ${columns} uuid = $1 AND connect_state IS NULL`,
);
const platformStatement = statement<ConnectedAccount>(
  'provider_account_platform',
  `SELECT ${columns} name = $1 AND connect_state IS NOT NULL`,
);
const allStatement = statement<ConnectedAccount>(
  'provider_accounts',
  `SELECT ${columns} ${isHere('provider_accounts.merchant_id')} ORDER BY id`,
);

export async function findCurrentAccount(
  merchantId: number,
  inTransaction?: Transaction,
): Promise<ConnectedAccount | undefined> {
  const [account] = await currentStatement([merchantId], inTransaction);
  return account;
}

export async function findNamedAccount(
  { merchantId, name }: { merchantId: number; name: string },
  inTransaction?: Transaction,
): Promise<ConnectedAccount | undefined> {
  const [account] = await namedStatement([merchantId, name], inTransaction);
  return account;
}

export async function findAccountOfUuid(uuidText: string): Promise<ConnectedAccount | undefined> {
  const [account] = await uuidStatement([uuidText]);
  return account;
}

/** The account below the platform that a notification names. */
export async function findPlatformAccount(name: string): Promise<ConnectedAccount | undefined> {
  const [account] = await platformStatement([name]);
  return account;
}

const firstStatement = statement<{ id: number }>(
  'first_merchant',
  `SELECT id FROM accounts WHERE role = 'merchant' ORDER BY id LIMIT 1`,
);

/** The merchant that was registered first. */
export async function findFirstMerchant(): Promise<number | undefined> {
  const [first] = await firstStatement([]);
  return first?.id;
}

const onlyStatement = statement<{ id: number }>(
  'only_merchant',
  `SELECT min(id) AS id FROM accounts WHERE role = 'merchant' HAVING count(*) = 1`,
);

/** The merchant of an installation that has no other one. */
export async function findOnlyMerchant(): Promise<number | undefined> {
  const [only] = await onlyStatement([]);
  return only?.id;
}

export const listConnectedAccounts = () => allStatement([]);

const lockStatement = statement(
  'provider_accounts_lock',
  `SELECT pg_advisory_xact_lock(hashtext('provider_accounts'), $1)`,
);

/** Locks a merchant's accounts until the commit, so that two changes wait for each other. */
export async function lockAccounts(inTransaction: Transaction, merchantId: number): Promise<void> {
  await lockStatement([merchantId], inTransaction);
}

/** The subscriptions that renew with cards of an account, and its charges and refunds without an outcome. */
export async function countUses(
  inTransaction: Transaction,
  { merchantId, name }: { merchantId: number; name: string },
): Promise<{ subscriptions: number; open: number }> {
  const [counted] = await execute<{ subscriptions: number; open: number }>(
    inTransaction,
    `SELECT
       (SELECT count(*) FROM subscriptions s JOIN cards c ON c.id = s.card_id AND c.provider = $2
        WHERE s.merchant_id = $1 AND s.ended_at IS NULL)::int AS subscriptions,
       (SELECT count(*) FROM charges o JOIN cards c ON c.id = o.card_id AND c.provider = $2
        WHERE o.merchant_id = $1 AND o.status IN ('open', 'requires_action', 'processing'))::int
       + (SELECT count(*) FROM refunds r JOIN charges o ON o.id = r.charge_id JOIN cards c ON c.id = o.card_id
          AND c.provider = $2 WHERE r.merchant_id = $1 AND r.state IN ('open', 'pending'))::int AS open`,
    [merchantId, name],
  );
  return counted ?? { subscriptions: 0, open: 0 };
}
