import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { findTokenHome, redeemToken, requestMail, type TokenHome } from './mailedTokens';
import { type ActivationRequest } from './activation.schemas';

/** The response and its time are the same whether or not the address has an account. */
export async function sendActivation(input: z.output<typeof ActivationRequest>) {
  await requestMail(input.merchant_uuid, input.email, { purpose: 'activation', brandingId: input.branding_id });
  return message('If the account is there and not active yet, an activation e-mail is on its way');
}

export async function activateAccount(token: string) {
  const account = await transaction(async (inTransaction) => {
    const holder = await redeemToken(inTransaction, token, 'activation');
    const activatedAt = new Date();
    return holder?.update({ activatedAt, updatedAt: activatedAt }, { transaction: inTransaction });
  });
  if (!account) throw new AppError('activation_token_invalid');
  return { uuid: account.uuid };
}

/** Whether this token can activate an account now, and the merchant of its holder. */
export function findActivationHome(token: string): Promise<TokenHome | undefined> {
  return findTokenHome(token, 'activation');
}
