import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type DataCapture } from './dataCaptures.model';
import { type DataCaptureRow } from './dataCaptures.schemas';

export function presentDataCapture(row: DataCapture): z.output<typeof DataCaptureRow> {
  return {
    id: row.id,
    email: row.email,
    full_name: row.fullName,
    company: row.company,
    created_at: unixSeconds(row.createdAt),
    updated_at: unixSeconds(row.updatedAt),
  };
}
