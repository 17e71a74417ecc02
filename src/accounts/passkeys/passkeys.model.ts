import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

export interface Holder {
  id: number;
  merchantId: number;
}

export interface PasskeyRow {
  id: string;
  account_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: string;
  is_synced_kind: boolean;
  is_backed_up: boolean;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

const columns = `id, account_id, credential_id, public_key, sign_count, is_synced_kind, is_backed_up, transports, name,
  created_at, last_used_at`;

const listStatement = statement<PasskeyRow>(
  'passkeys_of_account',
  `SELECT ${columns} FROM passkeys WHERE merchant_id = $1 AND account_id = $2 ORDER BY created_at, id`,
);

export const readPasskeys = ({ merchantId, id }: Holder, inTransaction?: Transaction): Promise<PasskeyRow[]> =>
  listStatement([merchantId, id], inTransaction);

const credentialStatement = statement<PasskeyRow>(
  'passkey_by_credential',
  `SELECT ${columns} FROM passkeys WHERE credential_id = $1`,
);

/** Finds the passkey of an authenticator. The caller checks its account. */
export async function findByCredential(credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const [row] = await credentialStatement([credentialId]);
  return row;
}

interface NewPasskey {
  credentialId: Uint8Array;
  publicKey: Uint8Array;
  signCount: number;
  isSyncedKind: boolean;
  isBackedUp: boolean;
  transports: readonly string[];
  name: string;
}

/** Undefined if this account or another one already has the passkey. */
export async function insertPasskey(
  inTransaction: Transaction,
  { merchantId, id }: Holder,
  made: NewPasskey,
): Promise<PasskeyRow | undefined> {
  const [row] = await execute<PasskeyRow>(
    inTransaction,
    `INSERT INTO passkeys (merchant_id, account_id, credential_id, public_key, sign_count, is_synced_kind, is_backed_up,
       transports, name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (credential_id) DO NOTHING RETURNING ${columns}`,
    [
      ...[merchantId, id, Buffer.from(made.credentialId), Buffer.from(made.publicKey), made.signCount],
      ...[made.isSyncedKind, made.isBackedUp, made.transports, made.name],
    ],
  );
  return row;
}

/** Records a use. False if a use with this counter or a later one was accepted before. */
export async function noteUse(
  inTransaction: Transaction,
  passkeyId: string,
  { signCount, isBackedUp }: { signCount: number; isBackedUp: boolean },
): Promise<boolean> {
  const used = await execute(
    inTransaction,
    `UPDATE passkeys SET sign_count = $2, is_backed_up = $3, last_used_at = now()
     WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0)) RETURNING id`,
    [passkeyId, signCount, isBackedUp],
  );
  return used.length > 0;
}

export async function renameRow(
  inTransaction: Transaction,
  { merchantId, id }: Holder,
  { passkeyId, name }: { passkeyId: string; name: string },
): Promise<PasskeyRow | undefined> {
  const [row] = await execute<PasskeyRow>(
    inTransaction,
    `UPDATE passkeys SET name = $4 WHERE merchant_id = $1 AND account_id = $2 AND id = $3 RETURNING ${columns}`,
    [merchantId, id, passkeyId, name],
  );
  return row;
}

export async function deleteRow(
  inTransaction: Transaction,
  { merchantId, id }: Holder,
  passkeyId: string,
): Promise<PasskeyRow | undefined> {
  const [row] = await execute<PasskeyRow>(
    inTransaction,
    `DELETE FROM passkeys WHERE merchant_id = $1 AND account_id = $2 AND id = $3 RETURNING ${columns}`,
    [merchantId, id, passkeyId],
  );
  return row;
}

/** Removes all passkeys of an account. False if it had none. */
export async function removePasskeys(inTransaction: Transaction, accountId: number): Promise<boolean> {
  const removed = await execute(inTransaction, 'DELETE FROM passkeys WHERE account_id = $1 RETURNING id', [accountId]);
  return removed.length > 0;
}
