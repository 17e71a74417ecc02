import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { validate } from '../../kit/validate';
import { findTokenHolder, findTokenHome, redeemToken, requestMail, type TokenHome } from '../mailedTokens/service';
import { hashNewPassword, replacePassword } from '../passwords/service';
import { NewPassword, type ResetRequest } from './schemas';

/** The same answer, in the same time, whether the address has an account or not (decisions 2). */
export async function forgotPassword(input: z.output<typeof ResetRequest>) {
  await requestMail(input.merchant_uuid, input.email, { purpose: 'password_reset', brandingId: input.branding_id });
  return message('If the account is there, an e-mail with a link to a new password is on its way');
}

/** The mailed token stands for the old password. Every session ends: one of them may be the thief's. */
export async function resetPassword(token: string, input: z.output<typeof NewPassword>) {
  // Before the hash: a guessed token is not worth its cost.
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
    await replacePassword(inTransaction, { accountId: account.id, passwordHash, brandingId: input.branding_id });
  });
  return message('Password successfully changed');
}

/** The same from the page behind the mailed link, which has checked nothing. */
export function resetPasswordByForm(token: string, form: Record<string, string | undefined>) {
  return resetPassword(token, validate(NewPassword, form));
}

/** Whether a new password by this token would be taken now, and where its holder belongs. */
export function findResetHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'password_reset');
}
