import { z } from 'zod';
import { formInt } from './form';

const defaultSize = 15;
const largestSize = 500;

/** `page` counts from 1, and 0 is read as 1 because existing clients send it; `size` and `limit` are one thing. */
export const PageQuery = z.object({
  page: formInt().pipe(z.int().min(0).max(1_000_000)).optional(),
  size: formInt().pipe(z.int().min(1).max(largestSize)).optional(),
  limit: formInt().pipe(z.int().min(1).max(largestSize)).optional(),
});

export interface PageRange {
  page: number;
  limit: number;
  offset: number;
}

export function pageRange(query: z.output<typeof PageQuery>): PageRange {
  const page = Math.max(1, query.page ?? 1);
  const limit = query.size ?? query.limit ?? defaultSize;
  return { page, limit, offset: (page - 1) * limit };
}

/** The list envelope `{total, page, offset, limit, collection}`. */
export const pageOf = <T extends z.ZodType>(element: T) =>
  z.object({
    total: z.int(),
    page: z.int(),
    offset: z.int(),
    limit: z.int(),
    collection: z.array(element),
  });

/** Confirmations: `{code, message, explain}`; `explain` because one client's decoder demands it (wire 0.2). */
export const Message = z.object({ code: z.int(), message: z.string(), explain: z.string() });

export function message(text: string, code = 200): z.output<typeof Message> {
  return { code, message: text, explain: text };
}
