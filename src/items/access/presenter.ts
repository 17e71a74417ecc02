import { type z } from 'zod';
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

const seconds = (instant: Date) => Math.floor(instant.getTime() / 1000);

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
    created_at: seconds(access.createdAt),
    starts_at: seconds(access.startsAt),
    expires_at: seconds(access.expiresAt),
    item,
  };
}
