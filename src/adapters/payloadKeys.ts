import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type WorkflowName } from '../../workflows/messages';
import { config } from '../config';
import { manyEntries } from '../kit/manyEntries';
import { dataKey } from './dataKey';
import { type Transaction } from './postgres/connection';
import { execute, statement } from './postgres/statement';
import { seal, unseal } from './sealing';

/**
 * The keys that encrypt the payloads of workflows in Temporal. Each account has one, which is stored in PostgreSQL and
 * encrypted. After a key is destroyed, no payload of the account's workflows can be decrypted, even in a backup.
 */

export interface PayloadKey {
  id: string;
  /** Undefined after the key was destroyed. */
  secret: Buffer | undefined;
}

/** A key that was not destroyed. */
export type LivePayloadKey = PayloadKey & { secret: Buffer };

let installationSecret: Buffer | undefined;

/**
 * The installation's key, for payloads of no account or of an erased one. It is never destroyed: payloads contain only ids,
 * and a run that is woken for an erased account must be able to read its input.
 */
const installationKey: LivePayloadKey = {
  id: 'installation',
  get secret() {
    return (installationSecret ??= Buffer.from(hkdfSync('sha256', dataKey(), '', 'payloads of no account', 32)));
  },
};

const wrapping = 'payload key';
const keysInMemory = 10_000;
const runsInMemory = 50_000;
/** How long a process may use a cached key. It bounds the time if the notice of a destroyed key is lost. */
const keyMemoryMs = 60_000;

interface KeyRow {
  id: string;
  wrapped_key: Buffer;
}

/** `id` is null if the account has no key, or if another process has created one at the same moment. */
type FoundRow = { isErased: boolean } & (KeyRow | { id: null; wrapped_key: null });

interface OwnedRun {
  /** The start of the workflow ids, followed by the row's token. */
  prefix: string;
  /** The table with the token, the merchant and the account. */
  table: string;
  /** The workflow ids end with the number of an attempt. */
  countsTries?: true;
}

/**
 * The owner of a run's key, by its workflow. `installation`: the run must be readable after its account is erased, or may
 * pass to another account.
 */
const owners: Record<WorkflowName, OwnedRun | 'installation'> = {
  subscription: { prefix: 'subscription-', table: 'subscriptions' },
  payment: { prefix: 'payment-', table: 'payments' },
  refund: { prefix: 'refund-', table: 'refunds' },
  externalPayment: { prefix: 'external-payment-', table: 'external_payments', countsTries: true },
  storePurchase: 'installation',
  unclaimedPurchase: 'installation',
  exportAccount: { prefix: 'account-export-', table: 'account_operations' },
  eraseAccount: 'installation',
  webhookEndpoint: 'installation',
  scheduledReport: 'installation',
  demoData: 'installation',
};

const finders = Object.values(owners).flatMap((owner) =>
  owner === 'installation' ? [] : [{ ...owner, find: findOrMake(owner.table) }],
);

/** One statement finds the run's account and its key, and creates the key if there is none. */
function findOrMake(table: string) {
  return statement<FoundRow>(
    `payload_key_of_${table}`,
    `WITH owner AS (
       SELECT t.merchant_id, t.account_id, a.erased_at IS NOT NULL AS is_erased
       FROM ${table} t JOIN accounts a ON a.id = t.account_id WHERE t.token = $1
     ),
     known AS (SELECT k.id, k.wrapped_key FROM payload_keys k JOIN owner USING (account_id)),
     made AS (
       INSERT INTO payload_keys (merchant_id, account_id, wrapped_key)
       SELECT merchant_id, account_id, $2 FROM owner WHERE NOT is_erased AND NOT EXISTS (SELECT FROM known)
       ON CONFLICT (account_id) DO NOTHING RETURNING id, wrapped_key
     )
     SELECT is_erased AS "isErased", coalesce(known.id, made.id) AS id, coalesce(known.wrapped_key, made.wrapped_key) AS wrapped_key
     FROM owner LEFT JOIN known ON true LEFT JOIN made ON true`,
  );
}

const readStatement = statement<KeyRow>('payload_key_read', 'SELECT id, wrapped_key FROM payload_keys WHERE id = $1');

const keys = new LRUCache<string, PayloadKey>({
  ...manyEntries(keysInMemory),
  ttl: keyMemoryMs,
  noDeleteOnFetchRejection: true,
  fetchMethod: async (id) => {
    const [row] = await readStatement([id]);
    return row ? unwrap(row) : { id, secret: undefined };
  },
});

/** The key ids of runs. The key of a run changes only when it is destroyed. */
const keyIds = new LRUCache<string, string>({ ...manyEntries(runsInMemory), fetchMethod: findKeyId });

/** The key of a run's payloads; without a run, the installation's key. */
export async function keyOfRun(workflowId: string | undefined): Promise<LivePayloadKey> {
  if (workflowId === undefined) return installationKey;
  const id = await keyIds.fetch(workflowId);
  if (id === undefined) return installationKey;
  const { secret } = await readKey(id);
  return secret === undefined ? installationKey : { id, secret };
}

/**
 * Creates the key of a run before the run starts, in the transaction that writes the start to the outbox. So the caller
 * waits for one commit and not for two.
 */
export async function prepareKeyOfRun(inTransaction: Transaction, workflowId: string): Promise<void> {
  if (!config.ENCRYPTION_KEY_IS_SHARED) return;
  const key = await findKey(workflowId, inTransaction);
  if (!key) return;
  inTransaction.afterCommit(() => {
    keys.set(key.id, key);
    keyIds.set(workflowId, key.id);
  });
}

/** The key that a payload names. A missing key was destroyed. */
export async function keyById(id: string): Promise<PayloadKey> {
  return id === installationKey.id ? installationKey : readKey(id);
}

/** Caches the key of a run from one of its payloads, because all its payloads have the same key. */
export function rememberKeyOfRun(workflowId: string, key: PayloadKey): void {
  if (key !== installationKey && !keyIds.has(workflowId)) keyIds.set(workflowId, key.id);
}

/**
 * Destroys the key of an erased account, so that the payloads of its workflows in Temporal can never be decrypted. Call it
 * after the workflows have ended: another worker could not continue an open run. An account that is not erased keeps its
 * key. A repeated call is harmless.
 */
export async function destroyPayloadKey(inTransaction: Transaction, accountId: number): Promise<void> {
  const [destroyed] = await execute<{ id: string }>(
    inTransaction,
    `DELETE FROM payload_keys k USING accounts a WHERE k.account_id = $1 AND a.id = $1 AND a.erased_at IS NOT NULL
     RETURNING k.id`,
    [accountId],
  );
  if (!destroyed) return;
  await execute(inTransaction, `SELECT pg_notify('payload_keys', $1)`, [destroyed.id]);
  inTransaction.afterCommit(() => forgetPayloadKey(destroyed.id));
}

/** Removes a key from the cache, because a process has destroyed it. */
export function forgetPayloadKey(id: string): void {
  keys.delete(id);
}

/** Clears the cache after a broken connection, because notices of destroyed keys may be lost. */
export function forgetAllPayloadKeys(): void {
  keys.clear();
}

/** Uses a cached key while the database is not available. */
async function readKey(id: string): Promise<PayloadKey> {
  try {
    return await keys.forceFetch(id);
  } catch (error) {
    const known = keys.peek(id, { allowStale: true });
    if (!known) throw error;
    return known;
  }
}

async function findKeyId(workflowId: string): Promise<string | undefined> {
  const key = await findKey(workflowId);
  if (key) keys.set(key.id, key);
  return key?.id;
}

async function findKey(workflowId: string, inTransaction?: Transaction): Promise<PayloadKey | undefined> {
  const finder = finders.find(({ prefix }) => workflowId.startsWith(prefix));
  if (!finder) return undefined;
  const rest = workflowId.slice(finder.prefix.length);
  const token = finder.countsTries ? rest.replace(/-\d+$/, '') : rest;
  const wrapped = seal(wrapping, randomBytes(32).toString('base64'));
  for (;;) {
    const [row] = await finder.find([token, wrapped], inTransaction);
    if (!row || row.isErased) return undefined;
    // Another process created the key after this statement had begun. The next statement sees it.
    if (row.id !== null) return unwrap(row);
  }
}

function unwrap({ id, wrapped_key }: KeyRow): PayloadKey {
  const secret = unseal(wrapping, wrapped_key);
  if (secret === undefined) throw new Error(`the payload key ${id} was wrapped with another data key`);
  return { id, secret: Buffer.from(secret, 'base64') };
}
