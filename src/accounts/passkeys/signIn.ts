import { type z } from 'zod';
import { type RequestFacts } from '../../kit/endpoint';
import { Account } from '../accounts.model';
import { enter, findClient } from '../signIn/authentication';
import { entranceOf, mayEnter } from '../signIn/entrants';
import { recordFailedSignIn } from '../signIn/signInLog';
import { acceptAssertion, startAssertion } from './assertions';
import { findByCredential, type PasskeyRow } from './passkeys.model';
import { type SignInBody } from './passkeys.schemas';

/**
 * The sign-in with a passkey. It replaces the password and the second factor: the device is one factor, and the
 * fingerprint, face or PIN that it has checked is the other.
 */

export async function startSignIn(clientId: string, request: RequestFacts) {
  await findClient(clientId, 'password');
  return startAssertion({ purpose: 'sign_in', clientId, request });
}

export async function signInByPasskey(
  { client_id: clientId, credential }: z.output<typeof SignInBody>,
  request: RequestFacts,
) {
  const client = await findClient(clientId, 'password');
  let holder: Account | undefined;
  const find = async (credentialId: Buffer): Promise<PasskeyRow | undefined> => {
    const row = await findByCredential(credentialId);
    const account = row && (await Account.findByPk(row.account_id));
    if (
      !row ||
      !account ||
      !mayEnter(account, client ?? entranceOf(clientId)) ||
      !isNamed(account, credential.response.userHandle)
    )
      return undefined;
    holder = account;
    return row;
  };
  try {
    await acceptAssertion({ purpose: 'sign_in', clientId, request }, credential, find);
  } catch (error) {
    if (holder) await recordFailedSignIn(holder, request);
    throw error;
  }
  if (!holder) throw new Error('a passkey without an account was accepted');
  return enter(holder, clientId, { isFactorProven: true, request });
}

/** Whether the authenticator created the passkey for this account. */
function isNamed({ uuid }: Account, userHandle: string | null | undefined): boolean {
  if (userHandle === undefined || userHandle === null || userHandle === '') return true;
  return Buffer.from(userHandle, 'base64url').toString('hex') === uuid.replaceAll('-', '');
}
