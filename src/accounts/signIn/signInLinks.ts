import { unusablePassword } from '../../adapters/passwords';
import { type z } from 'zod';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { getClient } from '../../oauthApps/clients';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { type Account } from '../accounts.model';
import { signInProven } from './authentication';
import { findTokenHolder, redeemToken, requestMail } from './mailedTokens';
import { confirmPossession, isFromOwner, removeForeignIdentities, takePossession } from './possession';
import { type LinkBody, type LinkRequest } from './signInLinks.schemas';

/** Customers sign in by a mailed link instead of a password. */

/** The response and its time are the same whether or not the address has an account. */
export async function sendSignInLink(input: z.output<typeof LinkRequest>) {
  const { merchant_uuid: merchant, email, branding_id: brandingId, next: nextPath } = input;
  await requestMail(merchant, email, { purpose: 'sign_in_link', brandingId, nextPath });
  return message('If the account is there, an e-mail with a link to sign in is on its way');
}

/**
 * The mailed token replaces the password, but not the second factor. Without the code of the factor, the token is used
 * and `second_factor_required` returns a challenge, like a sign-in by password.
 */
export async function signInByLink(token: string, input: z.output<typeof LinkBody>, request: RequestFacts) {
  const { client_id: clientId, second_factor_code: code } = input;
  const { merchantId } = await getClient(clientId, 'password');
  const account = await transaction(async (inTransaction) => {
    const holder = await redeemToken(inTransaction, token, 'sign_in_link');
    // The rollback keeps the token valid for the apps of its own merchant.
    if (holder?.merchantId !== merchantId) throw new AppError('sign_in_link_invalid');
    await proveMailbox(inTransaction, holder, request);
    return holder;
  });
  return signInProven(account, { clientId, code }, request);
}

/** Before the first proof of the mailbox, another person may have registered with the address. */
async function proveMailbox(inTransaction: Transaction, account: Account, request: RequestFacts): Promise<void> {
  if (await isFromOwner(inTransaction, account, request)) await confirmPossession(inTransaction, account);
  else if (account.activatedAt === null)
    await takePossession(inTransaction, account, { passwordHash: unusablePassword() });
  else await removeForeignIdentities(inTransaction, account);
}

/** The address of the customer of the merchant whom this token can now sign in. */
export async function findLinkedEmail(token: string, merchantUuid: string): Promise<string | undefined> {
  const holder = await findTokenHolder(token, 'sign_in_link');
  return holder?.role === 'consumer' && holder.merchantUuid === merchantUuid ? holder.email : undefined;
}
