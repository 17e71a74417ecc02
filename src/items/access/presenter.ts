import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type AccessResponse } from './schemas';

/** What the database tells of an entitlement. */
export interface AccessFacts {
  id: number;
  accountId: number;
  accountUuid: string;
  ipAddress: string;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
}

export function presentAccess(
  access: AccessFacts,
  item: z.output<typeof AccessResponse>['item'],
): z.output<typeof AccessResponse> {
  return {
    id: access.id,
    account_id: access.accountId,
    customer_id: access.accountId,
    customer_uuid: access.accountUuid,
    ip_address: access.ipAddress,
    country_code: '',
    created_at: unixSeconds(access.createdAt),
    starts_at: unixSeconds(access.startsAt),
    expires_at: unixSeconds(access.expiresAt),
    item,
  };
}
