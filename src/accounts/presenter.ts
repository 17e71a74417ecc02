import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Account } from './model';
import { type AccountResponse, type AuthenticationResponse } from './schemas';
import { type IssuedTokens } from './tokens/schemas';

/** `requiredFields`: what the merchant wants filled in (`listRequiredFields` of the register fields). */
export function presentAccount(account: Account, requiredFields: readonly string[]): z.output<typeof AccountResponse> {
  return {
    id: account.id,
    uuid: account.uuid,
    merchant_id: account.merchantId,
    merchant_uuid: account.merchantUuid,
    username: account.email,
    email: account.email,
    full_name: account.fullName,
    referrer: account.referrer,
    metadata: account.metadata,
    social_apps_metadata: account.socialAppsMetadata,
    roles: [account.role],
    completed: isCompleted(account, requiredFields),
    date_of_birth: account.dateOfBirth === null ? 0 : unixSeconds(new Date(account.dateOfBirth)),
    created_at: unixSeconds(account.createdAt),
    updated_at: unixSeconds(account.updatedAt),
    expired_at: 0,
  };
}

export function presentAuthentication(
  account: Account,
  tokens: IssuedTokens,
  requiredFields: readonly string[],
): z.output<typeof AuthenticationResponse> {
  return {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    expires: tokens.expiresAtSeconds,
    expires_at: tokens.expiresAtSeconds,
    account: presentAccount(account, requiredFields),
  };
}

/** Activated, and every required register field has a value (decisions 3). A blank is none, though clients may send it. */
function isCompleted(account: Account, requiredFields: readonly string[]): boolean {
  const isFilledIn = (name: string) => (account.metadata[name] ?? '').trim() !== '';
  return account.activatedAt !== null && (account.role === 'merchant' || requiredFields.every(isFilledIn));
}
