import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { unixSeconds } from '../../kit/time';
import { forgetWithCommit } from '../tokens/callers';
import { mailChange } from './mails';
import { requireOwner } from './owners';
import { deleteRow, type PasskeyRow, readPasskeys, renameRow } from './passkeys.model';
import { type PasskeyResponse, type PasskeysResponse } from './passkeys.schemas';

/** The passkeys of an account. */

export const holderOf = ({ accountId: id, merchantId }: Caller) => ({ id, merchantId });

export async function listPasskeys(caller: Caller): Promise<z.output<typeof PasskeysResponse>> {
  return { collection: (await readPasskeys(holderOf(caller))).map(presentPasskey) };
}

export async function renamePasskey(caller: Caller, passkeyId: string, name: string, { requestId }: RequestFacts) {
  const row = await transaction(async (inTransaction) => {
    const renamed = await renameRow(inTransaction, holderOf(caller), { passkeyId, name });
    if (!renamed) throw new AppError('passkey_not_found');
    const object = ['account', caller.accountId] as const;
    await audit(inTransaction, caller, { action: 'passkey.rename', object, requestId });
    return renamed;
  });
  return presentPasskey(row);
}

export async function deletePasskey(
  caller: Caller,
  { passkeyId, password }: { passkeyId: string; password: string | undefined },
  { requestId }: RequestFacts,
) {
  const holder = holderOf(caller);
  if (!(await readPasskeys(holder)).some(({ id }) => id === passkeyId)) throw new AppError('passkey_not_found');
  await requireOwner(caller, password);
  await transaction(async (inTransaction) => {
    const removed = await deleteRow(inTransaction, holder, passkeyId);
    if (!removed) throw new AppError('passkey_not_found');
    forgetWithCommit(inTransaction, holder.id);
    await mailChange(inTransaction, holder, { template: 'passkey_removed', name: removed.name });
    await audit(inTransaction, caller, { action: 'passkey.delete', object: ['account', holder.id], requestId });
  });
  return message('The passkey no longer signs in. Delete it in your device, too');
}

export function presentPasskey(row: PasskeyRow): z.output<typeof PasskeyResponse> {
  return {
    id: row.id,
    name: row.name,
    is_backed_up: row.is_backed_up,
    created_at: unixSeconds(row.created_at),
    last_used_at: row.last_used_at && unixSeconds(row.last_used_at),
  };
}
