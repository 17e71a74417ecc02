import { z } from 'zod';
import { AppError } from './errors';
import { formInt } from './form';
import { readJson } from './json';

const defaultSize = 15;
const largestSize = 500;
/** The longest value by which a list is sorted, such as a title. */
const longestValue = 320;
/** The longest cursor: each character of the value takes at most six bytes in JSON, and four letters hold three bytes. */
const longestCursor = 2_700;

/** `page` counts from 1; 0 is read as 1, because existing clients send it. `size` and `limit` have the same meaning. */
export const PageQuery = z.object({
  page: formInt().pipe(z.int().min(0).max(1_000_000)).optional(),
  size: formInt().pipe(z.int().min(1).max(largestSize)).optional(),
  limit: formInt().pipe(z.int().min(1).max(largestSize)).optional(),
});

/** A position in a list: the next page starts after the row with this id, or with this time and id. */
export interface Cursor {
  /** The time in PostgreSQL's text form, to the microsecond. Absent in a list that is ordered by id alone. */
  at?: string;
  id: number;
  /** The row's value in a list that is sorted by another column, and the key of that column. */
  sorted?: { by: string; value: string };
}

const PlaceParts = z.union([
  z.tuple([z.int()]),
  z.tuple([z.int(), z.string().max(40).refine(isInstant)]),
  z.tuple([z.int(), z.string().max(longestValue).refine(isStorable), z.string().max(40)]),
]);

/** PostgreSQL stores no text with the character 0. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Whether PostgreSQL can read a text as a time with a zone. It refuses a day or a zone that does not exist. */
export function isInstant(text: string): boolean {
  const [, day, time, zone, minutes] = /^([1-9].*) (.*)([+-](?:0\d|1[0-4]))(:\d\d)?$/.exec(text) ?? [];
  return z.iso.datetime({ offset: true }).safeParse(`${day}T${time}${zone}${minutes ?? ':00'}`).success;
}

/** A position as an opaque text. It does not name an owner: each list selects the caller's own rows for any cursor. */
const formCursor = () =>
  z
    .string()
    .max(longestCursor)
    .transform((text, context): Cursor => {
      const parts = PlaceParts.safeParse(readJson(Buffer.from(text, 'base64url').toString()));
      if (parts.success) return cursorOf(parts.data);
      context.addIssue('must be the next_cursor of an answer');
      return z.NEVER;
    });

function cursorOf([id, value, by]: z.output<typeof PlaceParts>): Cursor {
  if (value === undefined) return { id };
  return by === undefined ? { id, at: value } : { id, sorted: { by, value } };
}

/** The query of a list that can also be read by cursor. New rows do not shift the pages of a cursor. */
export const CursorQuery = PageQuery.extend({
  cursor: formCursor()
    .meta({
      description:
        'The `next_cursor` of the previous answer. The list continues after its last row, and rows added meanwhile shift ' +
        'no page. `page` is ignored.',
    })
    .optional(),
});

/**
 * The range of a list that existing clients read in one request: without `size` and `limit` the page has the largest
 * size.
 */
export function wholeRange(query: z.output<typeof PageQuery>): PageRange {
  return pageRange({ ...query, size: query.size ?? query.limit ?? largestSize });
}

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

export interface CursorRange extends PageRange {
  after: Cursor | undefined;
}

export function cursorRange(query: z.output<typeof CursorQuery>): CursorRange {
  const range = pageRange(query);
  return { ...range, offset: query.cursor === undefined ? range.offset : 0, after: query.cursor };
}

/**
 * The position in a list that is ordered by time and id. A cursor without a time comes from another list and is
 * refused.
 */
export function exactPlace(after: Cursor | undefined): { at: string; id: number } | undefined {
  if (after === undefined) return undefined;
  const { at, id } = after;
  if (at === undefined)
    throw new AppError('invalid_input', { errors: { cursor: 'The cursor belongs to another list.' } });
  return { at, id };
}

/** The cursor of the next page, or null if this page is not full and therefore the last. */
export function nextCursor<Row>(
  rows: readonly Row[],
  { limit }: Pick<PageRange, 'limit'>,
  placeOf: (row: Row) => Cursor,
): string | null {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return null;
  const { id, at, sorted } = placeOf(last);
  const parts = sorted ? [id, sorted.value, sorted.by] : [id, ...(at === undefined ? [] : [at])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

export const byId = ({ id }: { id: number }): Cursor => ({ id });

/** The list envelope `{total, page, offset, limit, collection}`. */
export const pageOf = <T extends z.ZodType>(element: T) =>
  z.object({
    total: z.int(),
    page: z.int(),
    offset: z.int(),
    limit: z.int(),
    collection: z.array(element),
  });

export const nextCursorField = z
  .string()
  .nullable()
  .meta({ description: 'The `cursor` of the next page; null if this page is the last' });

/** The list envelope with `next_cursor`. */
export const cursorPageOf = <T extends z.ZodType>(element: T) =>
  pageOf(element).extend({ next_cursor: nextCursorField });

/** A confirmation: `{code, message, explain}`. It has `explain` because the decoder of one client requires it. */
export const Message = z.object({ code: z.int(), message: z.string(), explain: z.string() });

export function message(text: string, code = 200): z.output<typeof Message> {
  return { code, message: text, explain: text };
}
