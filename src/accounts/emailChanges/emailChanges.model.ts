import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

export interface EmailChangeRow {
  id: number;
  merchant_id: number;
  account_id: number;
  email: string;
  former_email: string;
  former_email_normalized: string;
  session_id: string;
  created_at: Date;
  expires_at: Date;
  /** The link by which the row was found is valid. */
  is_alive: boolean;
}

/**
 * The days for which the former address can undo a change, and for which the link of the mail about a request ends the sessions,
 * also if the request has ended.
 */
export const undoDays = 7;

const columns =
  'id, merchant_id, account_id, email, former_email, former_email_normalized, session_id, created_at, expires_at';
const isWaiting = 'confirmed_at IS NULL AND ended_at IS NULL';

interface Holder {
  id: number;
  merchantId: number;
}

interface NewEmailChange {
  email: string;
  former: { email: string; emailNormalized: string };
  sessionId: string;
  confirmHash: Buffer;
  stopHash: Buffer | null;
  lifetimeMinutes: number;
}

/** The caller holds the lock of the account. An earlier request that waits ends. */
export async function insertChange(
  inTransaction: Transaction,
  { id, merchantId }: Holder,
  { email, former, sessionId, confirmHash, stopHash, lifetimeMinutes }: NewEmailChange,
): Promise<void> {
  await endWaitingChange(inTransaction, id);
  await execute(
    inTransaction,
    `INSERT INTO email_changes (merchant_id, account_id, email, former_email, former_email_normalized, session_id,
       confirm_hash, stop_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(mins => $9))`,
    [merchantId, id, email, former.email, former.emailNormalized, sessionId, confirmHash, stopHash, lifetimeMinutes],
  );
}

/** The link to the new address no longer works. That of the mail about the request does. False if no change waits. */
export async function endWaitingChange(inTransaction: Transaction, accountId: number): Promise<boolean> {
  const text = `UPDATE email_changes SET ended_at = now() WHERE account_id = $1 AND ${isWaiting}
     RETURNING expires_at > now() AS was_alive`;
  const ended = await execute<{ was_alive: boolean }>(inTransaction, text, [accountId]);
  return ended.some(({ was_alive }) => was_alive);
}

const waitingStatement = statement<EmailChangeRow>(
  'email_change_waiting',
  `SELECT ${columns}, true AS is_alive FROM email_changes
   WHERE merchant_id = $1 AND account_id = $2 AND ${isWaiting} AND expires_at > now()`,
);

export async function findWaitingChange({ id, merchantId }: Holder): Promise<EmailChangeRow | undefined> {
  const [row] = await waitingStatement([merchantId, id]);
  return row;
}

const confirmableStatement = statement<EmailChangeRow>(
  'email_change_to_confirm',
  `SELECT ${columns}, expires_at > now() AS is_alive FROM email_changes WHERE confirm_hash = $1 AND ${isWaiting}`,
);

/** The change that a link to the new address confirms, also after the end of the link. */
export async function findConfirmableChange(hash: Buffer, inTransaction?: Transaction) {
  const [row] = await confirmableStatement([hash], inTransaction);
  return row;
}

const refusableStatement = statement<EmailChangeRow>(
  'email_change_to_refuse',
  `SELECT ${columns}, coalesce(undo_until, created_at + make_interval(days => ${undoDays})) > now() AS is_alive
   FROM email_changes WHERE stop_hash = $1 OR undo_hash = $1`,
);

/** The change that a link to the former address stops or undoes, also after the end of the link. */
export async function findRefusableChange(hash: Buffer, inTransaction?: Transaction) {
  const [row] = await refusableStatement([hash], inTransaction);
  return row;
}

/** The links to the former address undo the change for `undoDays`. Without a hash, the change is final. */
export async function confirmChange(
  inTransaction: Transaction,
  changeId: number,
  undoHash: Buffer | null,
): Promise<void> {
  await execute(
    inTransaction,
    `UPDATE email_changes SET confirmed_at = now(), undo_hash = $2, undo_until = now() + make_interval(days => $3)
     WHERE id = $1`,
    [changeId, undoHash, undoHash === null ? 0 : undoDays],
  );
}

/** A change that is undone takes the later ones with it: they are not the owner's either. */
export async function deleteChangesFrom(inTransaction: Transaction, { account_id, id }: EmailChangeRow): Promise<void> {
  await execute(inTransaction, 'DELETE FROM email_changes WHERE account_id = $1 AND id >= $2', [account_id, id]);
}

/** False if another account has the address, or had it until a change that can still be undone. */
export async function changeAddress(
  inTransaction: Transaction,
  accountId: number,
  { email, emailNormalized }: { email: string; emailNormalized: string },
): Promise<boolean> {
  const text = 'SELECT change_address($1, $2, $3) AS "isChanged"';
  const [row] = await execute<{ isChanged: boolean }>(inTransaction, text, [accountId, email, emailNormalized]);
  return row?.isChanged === true;
}

const proofDays = 7;

/** A thief can add ways to sign in before the request, so those of the week before it count as well. */
export const proofsBegin = ({ created_at }: Pick<EmailChangeRow, 'created_at'>) =>
  new Date(created_at.getTime() - proofDays * 86_400_000);

/** Removes the ways to sign in that were added since a change that the owner refuses, and in the week before it. */
export async function deleteProofsSince(
  inTransaction: Transaction,
  change: Pick<EmailChangeRow, 'account_id' | 'created_at'>,
): Promise<void> {
  const { account_id } = change;
  const added = [account_id, proofsBegin(change)];
  const factors = await execute(
    inTransaction,
    'DELETE FROM second_factors WHERE account_id = $1 AND created_at >= $2 RETURNING id',
    added,
  );
  if (factors.length > 0)
    await execute(inTransaction, 'DELETE FROM recovery_codes WHERE account_id = $1', [account_id]);
  for (const table of ['passkeys', 'social_identities', 'company_identities'])
    await execute(inTransaction, `DELETE FROM ${table} WHERE account_id = $1 AND created_at >= $2`, added);
}

/** Links in mails to the former address no longer prove the owner. */
export async function deleteMailedTokens(inTransaction: Transaction, accountId: number): Promise<void> {
  await execute(inTransaction, 'DELETE FROM mailed_tokens WHERE account_id = $1', [accountId]);
}

/** The former addresses of customers, of those that are asked for, while the changes can be undone. */
export const listHeld = statement<{ address: string }>(
  'email_changes_held',
  `SELECT c.former_email_normalized AS address FROM email_changes c JOIN accounts a ON a.id = c.account_id
   WHERE c.former_email_normalized = ANY ($2) AND c.undo_until > now() AND a.merchant_id = $1 AND a.role = 'consumer'`,
);

/** The addresses that an account had before, without those that another person of the merchant has now. They are normalized. */
export async function listFormerAddresses(
  inTransaction: Transaction,
  { accountId, merchantId }: { accountId: number; merchantId: number },
): Promise<string[]> {
  const text = `SELECT DISTINCT c.former_email_normalized AS address FROM email_changes c
     WHERE c.account_id = $1 AND c.confirmed_at IS NOT NULL AND NOT EXISTS (
       SELECT FROM accounts o WHERE o.merchant_id = $2 AND o.email_normalized = c.former_email_normalized AND o.id <> $1
         AND (o.role = 'merchant' OR (o.role = 'staff' AND o.is_active)))`;
  const rows = await execute<{ address: string }>(inTransaction, text, [accountId, merchantId]);
  return rows.map(({ address }) => address);
}
