import { type z } from 'zod';
import { type VoucherBatch } from './batches.model';
import { type BatchResponse } from './batches.schemas';

export function presentBatch(row: VoucherBatch, uses: number): z.output<typeof BatchResponse> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    suffix: row.suffix,
    count: row.codeCount,
    uses,
    created_at: row.createdAt.toISOString(),
  };
}
