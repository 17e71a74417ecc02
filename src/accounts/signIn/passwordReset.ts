import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { validate } from '../../kit/validate';
import { findTokenHolder, findTokenHome, redeemToken, requestMail, type TokenHome } from './mailedTokens';
import { hashNewPassword, replacePassword } from './passwords';
import { confirmPossession, isFromOwner, removeForeignIdentities } from './possession';
import { NewPassword, type ResetRequest } from './passwordReset.schemas';

/** The response and its time are the same whether or not the address has an account. */
export async function forgotPassword(input: z.output<typeof ResetRequest>) {
  await requestMail(input.merchant_uuid, input.email, { purpose: 'password_reset', brandingId: input.branding_id });
  return message('If the account is there, an e-mail with a link to a new password is on its way');
}

/**
 * The mailed token replaces the old password as a proof. Every session ends, because one of them may belong to a thief.
 * The identities that another person may have linked before the owner proved the mailbox also end.
 */
export async function resetPassword(token: string, input: z.output<typeof NewPassword>, request: RequestFacts) {
  // This check comes before the hash, so that guessed tokens cost little.
  const holder = await findTokenHolder(token, 'password_reset');
  if (!holder) throw new AppError('reset_token_invalid');
  const passwordHash = await hashNewPassword({
    password: input.password,
    confirmation: input.password_confirmation,
    email: holder.email,
    merchant: { id: holder.merchantId },
  });
  await transaction(async (inTransaction) => {
    const account = await redeemToken(inTransaction, token, 'password_reset');
    if (!account) throw new AppError('reset_token_invalid');
    if (await isFromOwner(inTransaction, account, request)) await confirmPossession(inTransaction, account);
    else await removeForeignIdentities(inTransaction, account);
    const { id: accountId, merchantId } = account;
    const change = { action: 'password.reset', passwordHash, brandingId: input.branding_id } as const;
    await replacePassword(inTransaction, { merchantId, accountId }, change);
  });
  return message('Password successfully changed');
}

/** Like `resetPassword`, for the page behind the mailed link, which has not checked the fields. */
export function resetPasswordByForm(token: string, form: Record<string, string | undefined>, request: RequestFacts) {
  return resetPassword(token, validate(NewPassword, form), request);
}

/** Whether this token can set a new password now, and the merchant of its holder. */
export function findResetHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'password_reset');
}
