import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { noteProof } from '../secondFactors/secondFactors.model';
import { acceptAssertion, startAssertion } from './assertions';
import { holderOf } from './passkeys';
import { readPasskeys } from './passkeys.model';
import { type ConfirmBody } from './passkeys.schemas';

/** A passkey can replace the code in calls that require a recent second factor. */

export async function startConfirmation(caller: Caller) {
  const passkeys = await readPasskeys(holderOf(caller));
  if (passkeys.length === 0) throw new AppError('passkey_not_found');
  return startAssertion({ purpose: 'confirm', sessionId: caller.sessionId }, passkeys);
}

export async function confirmByPasskey(caller: Caller, { credential }: z.output<typeof ConfirmBody>) {
  const { sessionId } = caller;
  const own = await readPasskeys(holderOf(caller));
  const find = (id: Buffer) => Promise.resolve(own.find((row) => row.credential_id.equals(id)));
  await acceptAssertion({ purpose: 'confirm', sessionId }, credential, find);
  await transaction((inTransaction) => noteProof(inTransaction, sessionId));
  return message('The passkey is valid');
}
