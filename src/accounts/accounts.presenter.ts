import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type CustomerResource } from '../notifications/events';
import { type Account } from './accounts.model';
import { type AccountResponse, type AuthenticationResponse } from './accounts.schemas';
import { type IssuedTokens } from './tokens/tokens.schemas';

/** `requiredFields`: the register fields that the merchant requires (`listRequiredFields`). */
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

/** The resource of `customer.registered` and `customer.updated`. */
export function presentCustomer(account: Account, requiredFields: readonly string[]): CustomerResource {
  const { id, uuid, merchant_id, merchant_uuid, username, email, full_name, referrer, ...others } = presentAccount(
    account,
    requiredFields,
  );
  const { date_of_birth, completed, created_at, updated_at } = others;
  const named = { id, uuid, merchant_id, merchant_uuid, username, email, full_name, referrer };
  return { ...named, date_of_birth, completed, created_at, updated_at, active: account.isActive };
}

/** True if the account is activated and every required register field has a value. Blank text is no value. */
function isCompleted(account: Account, requiredFields: readonly string[]): boolean {
  const isFilledIn = (name: string) => (account.metadata[name] ?? '').trim() !== '';
  return account.activatedAt !== null && (account.role !== 'consumer' || requiredFields.every(isFilledIn));
}
