import { z } from 'zod';
import { formInt } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';
import { VoucherBody } from './vouchers.schemas';

const countMost = 10_000;
/**
 * Eight characters of an alphabet of 32 give a million million codes, so nobody finds one of ten thousand codes by
 * guessing.
 */
const lengthLeast = 8;

/**
 * The terms of a single voucher. `usage_limit` applies to each code and defaults to 1. `usage_limit_per_customer`
 * applies to all codes of the batch together.
 */
export const BatchBody = VoucherBody.omit({ code: true, length: true }).extend({
  count: formInt().pipe(z.int().min(1, 'must be at least 1').max(countMost, `must be at most ${countMost}`)),
  /** The length of the random part between prefix and suffix. */
  length: formInt()
    .pipe(z.int().min(lengthLeast, `must be at least ${lengthLeast}`).max(50, 'must be at most 50'))
    .optional(),
});

export const BatchQuery = CursorQuery;

export const BatchResponse = z.object({
  id: z.int(),
  name: z.string(),
  prefix: z.string(),
  suffix: z.string(),
  /** The number of codes. */
  count: z.int(),
  /** The number of uses of the batch's codes, including purchases in progress. */
  uses: z.int(),
  created_at: z.iso.datetime(),
});

export const BatchPage = cursorPageOf(BatchResponse);
