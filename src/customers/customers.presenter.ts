import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Account } from '../accounts/accounts.model';
import { type IssuedTokens } from '../accounts/tokens/tokens.schemas';
import { type CreatedCustomerResponse } from './customers.schemas';

export function presentCreatedCustomer(
  account: Account,
  { accessToken, expiresAtSeconds }: IssuedTokens,
): z.output<typeof CreatedCustomerResponse> {
  return {
    access_token: accessToken,
    expires: expiresAtSeconds,
    expires_at: expiresAtSeconds,
    account: {
      id: account.id,
      email: account.email,
      created_at: unixSeconds(account.createdAt),
      updated_at: unixSeconds(account.updatedAt),
    },
  };
}
