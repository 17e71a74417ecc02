import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type AccessTypeRow } from './accessTypes.model';
import { type AccessTypeResponse } from './accessTypes.schemas';

export function presentAccessType(type: AccessTypeRow): z.output<typeof AccessTypeResponse> {
  return {
    id: type.id,
    account_id: type.merchantId,
    name: type.name,
    quantity: type.quantity,
    period: type.period,
    created_at: unixSeconds(type.createdAt),
    updated_at: unixSeconds(type.updatedAt),
  };
}
