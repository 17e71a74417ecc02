import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type AccessCodeRow, type DeviceRow } from './accessCodes.model';
import { type AccessCodeResponse, type CodeSessions } from './accessCodes.schemas';

export function presentCode(row: AccessCodeRow): z.output<typeof AccessCodeResponse> {
  return {
    id: row.id,
    code_id: row.id,
    item_id: row.itemId,
    merchant_id: row.merchantId,
    code: row.code,
    device_limit: row.deviceLimit,
    devices: row.devices,
    expires_at: unixSeconds(row.expiresAt),
    created_at: unixSeconds(row.createdAt),
  };
}

export function presentDevice(row: DeviceRow, code: string): z.output<typeof CodeSessions>[number] {
  return {
    id: row.id,
    code,
    browser_fingerprint: row.fingerprint,
    agent_info: row.agent,
    last_used: unixSeconds(row.lastUsedAt),
  };
}
