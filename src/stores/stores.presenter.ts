import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type StoreCredentialsRow } from './stores.model';
import { type StoreResponse } from './stores.schemas';

export function presentStore(platform: string, row: StoreCredentialsRow | undefined): z.output<typeof StoreResponse> {
  return {
    platform,
    is_configured: row !== undefined,
    app: row?.app ?? null,
    updated_at: row ? unixSeconds(row.updatedAt) : null,
  };
}
