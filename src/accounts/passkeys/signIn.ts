import { type z } from 'zod';
import { type RequestFacts } from '../../kit/endpoint';
import { type Client } from '../../oauthApps/clients';
import { Account } from '../accounts.model';
import { enter, findClient, roleOfClient } from '../signIn/authentication';
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
      !mayEnter(account, client ?? roleOfClient(clientId)) ||
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

/**
 * The same rule as for a sign-in by password: merchants use the platform or their own apps, operators use their own
 * client, and customers use the apps of their merchant.
 */
function mayEnter({ isActive, role, merchantId }: Account, client: Client | 'merchant' | 'operator'): boolean {
  if (!isActive) return false;
  return typeof client === 'string' ? role === client : merchantId === client.merchantId;
}

/** Whether the authenticator created the passkey for this account. */
function isNamed({ uuid }: Account, userHandle: string | null | undefined): boolean {
  if (userHandle === undefined || userHandle === null || userHandle === '') return true;
  return Buffer.from(userHandle, 'base64url').toString('hex') === uuid.replaceAll('-', '');
}
