import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type WorkflowName } from '../../workflows/messages';
import { config } from '../config';
import { type Transaction } from './postgres/connection';
import { execute, statement } from './postgres/statement';
import { seal, unseal } from './sealing';

/**
 * The keys under which everything is sealed that workflows leave in Temporal: one an account, kept here wrapped by
 * ENCRYPTION_KEY. Destroying an account's key makes unreadable what its workflows ever said, wherever it lies.
 */

export interface PayloadKey {
  id: string;
  /** Undefined once it was destroyed. */
  secret: Buffer | undefined;
}

/** A key that is there. */
export type LivePayloadKey = PayloadKey & { secret: Buffer };

/**
 * What belongs to no account, or to an erased one, is sealed with a key of the installation's own, which is never
 * destroyed: ids are all that workflows carry, and a run that is woken for an erased account must read what it was told.
 */
const installationKey: LivePayloadKey = {
  id: 'installation',
  secret: Buffer.from(hkdfSync('sha256', config.ENCRYPTION_KEY, '', 'payloads of no account', 32)),
};

const wrapping = 'payload key';
const keysInMemory = 10_000;
const runsInMemory = 50_000;
/** How long a process that heard nothing of a key's end may go on using it. */
const keyMemoryMs = 60_000;

interface KeyRow {
  id: string;
  wrapped_key: Buffer;
}

/** No key: it was made by somebody just now, or is not to be made. */
type FoundRow = { isErased: boolean } & (KeyRow | { id: null; wrapped_key: null });

interface OwnedRun {
  /** What the ids of these runs begin with; the row's token follows. */
  prefix: string;
  /** The table that knows the token, the merchant and the account. */
  table: string;
  /** The ids end with the number of a try. */
  countsTries?: true;
}

/**
 * Whose key a run uses follows from its workflow id. `installation`: it must be readable after its account is erased, or
 * may pass to another one.
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
  webhookDelivery: 'installation',
  webhookEndpoint: 'installation',
  scheduledReport: 'installation',
};

const finders = Object.values(owners).flatMap((owner) =>
  owner === 'installation' ? [] : [{ ...owner, find: findOrMake(owner.table) }],
);

/** One statement finds the run's account and its key, and makes the key when there is none yet. */
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
  max: keysInMemory,
  ttl: keyMemoryMs,
  noDeleteOnFetchRejection: true,
  fetchMethod: async (id) => {
    const [row] = await readStatement([id]);
    return row ? unwrap(row) : { id, secret: undefined };
  },
});

/** Which key a run uses changes only when that key is destroyed. */
const keyIds = new LRUCache<string, string>({ max: runsInMemory, fetchMethod: findKeyId });

/** The key that a run's payloads are sealed with; without a run, the installation's. */
export async function keyOfRun(workflowId: string | undefined): Promise<LivePayloadKey> {
  if (workflowId === undefined) return installationKey;
  const id = await keyIds.fetch(workflowId);
  if (id === undefined) return installationKey;
  const { secret } = await readKey(id);
  return secret === undefined ? installationKey : { id, secret };
}

/**
 * Has the key of a run ready before it starts, in the transaction that promises the start: a commit of its own would be
 * one more that the caller waits for.
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

/** The key that a payload names. One that is not there was destroyed. */
export async function keyById(id: string): Promise<PayloadKey> {
  return id === installationKey.id ? installationKey : readKey(id);
}

/** A payload of the run was sealed with this key, so all are: spares asking for it. */
export function rememberKeyOfRun(workflowId: string, key: PayloadKey): void {
  if (key !== installationKey && !keyIds.has(workflowId)) keyIds.set(workflowId, key.id);
}

/**
 * Makes unreadable, for good, whatever the workflows of an erased account have left in Temporal. To be done when they have
 * ended: one that runs could not be taken up by another worker. An account that is not erased keeps its key, and to
 * repeat it is harmless.
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

/** Drops a key from this process's memory: it was destroyed somewhere. */
export function forgetPayloadKey(id: string): void {
  keys.delete(id);
}

/** After a broken connection: word of a key's end may have been lost. */
export function forgetAllPayloadKeys(): void {
  keys.clear();
}

/** While the database is away, a key that is known goes on being used. */
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
    // Else somebody made it after this statement had looked: the next one sees it.
    if (row.id !== null) return unwrap(row);
  }
}

function unwrap({ id, wrapped_key }: KeyRow): PayloadKey {
  const secret = unseal(wrapping, wrapped_key);
  if (secret === undefined) throw new Error(`the payload key ${id} was wrapped with another ENCRYPTION_KEY`);
  return { id, secret: Buffer.from(secret, 'base64') };
}
