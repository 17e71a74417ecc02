import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { type ConnectState } from './providerAccounts.model';

/** Accounts of merchants below the operator's platform (Stripe Connect). */

export interface BelowAccount {
  id: number;
  name: string;
  connectState: ConnectState;
}

const belowStatement = statement<BelowAccount>(
  'provider_account_below',
  `SELECT id, name, connect_state AS "connectState" FROM provider_accounts
   WHERE merchant_id = $1 AND connect_state <> 'deauthorized' ORDER BY id DESC LIMIT 1`,
);

/** The newest account of a merchant below the platform, disconnected or not. A deauthorized one cannot come back. */
export async function findBelow(merchantId: number): Promise<BelowAccount | undefined> {
  const [account] = await belowStatement([merchantId]);
  return account;
}

const factsStatement = statement<{ uuid: string; accounts: number }>(
  'provider_account_facts',
  `SELECT a.uuid, (SELECT count(*) FROM provider_accounts p WHERE p.merchant_id = a.id)::int AS accounts
   FROM accounts a WHERE a.id = $1`,
);

/** The merchant's uuid, and how many accounts it ever had. */
export async function getMerchantFacts(merchantId: number): Promise<{ uuid: string; accounts: number }> {
  const [facts] = await factsStatement([merchantId]);
  if (!facts) throw new Error(`there is no merchant ${merchantId}`);
  return facts;
}

/** Saves a new account, or connects a disconnected one again. Of two requests at once both save the same account. */
export async function saveBelow(
  inTransaction: Transaction,
  { merchantId, name, isLive }: { merchantId: number; name: string; isLive: boolean },
): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO provider_accounts (merchant_id, name, connect_state, publishable_key, key_ending, is_live, is_current, problems)
     VALUES ($1, $2, 'onboarding', '', '', $3, false, '[]')
     ON CONFLICT (merchant_id, name) DO UPDATE SET is_connected = true, updated_at = now()`,
    [merchantId, name, isLive],
  );
}

export interface ReadState {
  state: ConnectState;
  missing: string[];
  /** When the reading began. */
  readAt: Date;
}

/**
 * Saves what the provider reports, unless a later reading is saved. `before`: the state so far. Undefined if nothing was
 * saved. The account becomes the current one when it takes payments for the first time.
 */
export async function saveState(
  inTransaction: Transaction,
  { id, merchantId }: { id: number; merchantId: number },
  { state, missing, readAt }: ReadState,
): Promise<{ before: ConnectState } | undefined> {
  const [saved] = await execute<{ before: ConnectState; isFirst: boolean }>(
    inTransaction,
    `UPDATE provider_accounts p SET connect_state = $2, missing = $3::jsonb, read_at = $4, checked_at = now(),
       updated_at = now(), activated_at = coalesce(p.activated_at, CASE WHEN $2 = 'active' THEN now() END)
     FROM (SELECT id, connect_state, activated_at FROM provider_accounts WHERE id = $1 FOR UPDATE) old
     WHERE p.id = old.id AND p.is_connected AND p.connect_state IS NOT NULL AND coalesce(p.read_at <= $4, true)
     RETURNING old.connect_state AS before, old.activated_at IS NULL AND $2 = 'active' AS "isFirst"`,
    [id, state, JSON.stringify(missing), readAt],
  );
  if (saved?.isFirst) await makeCurrent(inTransaction, { id, merchantId });
  return saved;
}

/** New payments go to this account from now on. */
export async function makeCurrent(
  inTransaction: Transaction,
  { id, merchantId }: { id: number; merchantId: number },
): Promise<void> {
  const others = 'UPDATE provider_accounts SET is_current = false WHERE merchant_id = $1 AND is_current AND id <> $2';
  await execute(inTransaction, others, [merchantId, id]);
  await execute(inTransaction, 'UPDATE provider_accounts SET is_current = true WHERE id = $1', [id]);
}
