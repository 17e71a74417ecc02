import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type AgeRestriction } from './age.model';
import { type GlobalAgeResponse, type ItemAgeResponse } from './age.schemas';

export function presentGlobalAge(rule: AgeRestriction, merchantUuid: string): z.output<typeof GlobalAgeResponse> {
  return { min_age: rule.minAge, merchant_uuid: merchantUuid, ...timesOf(rule) };
}

export function presentItemAge(rule: AgeRestriction, itemId: number): z.output<typeof ItemAgeResponse> {
  return { min_age: rule.minAge, item_id: itemId, merchant_id: rule.merchantId, ...timesOf(rule) };
}

function timesOf({ createdAt, updatedAt }: AgeRestriction) {
  return { created_at: unixSeconds(createdAt), updated_at: unixSeconds(updatedAt) };
}
