import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type AccessResponse } from './entitlements.schemas';

/** An entitlement, its account, and the place of the request. */
export interface AccessFacts {
  id: number;
  accountId: number;
  accountUuid: string;
  ipAddress: string;
  countryCode: string | undefined;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
  isInGrace?: boolean;
}

type Presented = z.output<typeof AccessResponse>;

export function presentAccess(access: AccessFacts, item: Presented['item']): Presented {
  return { ...presentFacts(access), item };
}

/** All fields except the item. */
export function presentFacts(access: AccessFacts): Omit<Presented, 'item'> {
  return {
    id: access.id,
    account_id: access.accountId,
    customer_id: access.accountId,
    customer_uuid: access.accountUuid,
    ip_address: access.ipAddress,
    country_code: access.countryCode ?? '',
    created_at: unixSeconds(access.createdAt),
    starts_at: unixSeconds(access.startsAt),
    expires_at: unixSeconds(access.expiresAt),
    ...(access.isInGrace === true && { grace: true as const }),
  };
}
