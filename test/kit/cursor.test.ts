import fc from 'fast-check';
import { CursorQuery, cursorRange, exactPlace, nextCursor, type Cursor } from '../../src/kit/page';

const read = (cursor: string) => CursorQuery.safeParse({ cursor });

test('a cursor returns the position that it was made from', () => {
  const at = fc.date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('9999-12-31') });
  const exact = at.map((date) => `${date.toISOString().slice(0, 23).replace('T', ' ')}456+00`);
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.option(exact), (id, time) => {
      const place: Cursor = time === null ? { id } : { id, at: time };
      const cursor = nextCursor([place], { limit: 1 }, (row) => row) ?? '';
      expect(read(cursor).data?.cursor).toEqual(place);
    }),
  );
});

test('the cursor of a sorted list returns the value that it was made from', () => {
  const value = fc.string({ unit: 'binary', maxLength: 160 }).filter((text) => !text.includes('\0'));
  const longest = '\u0001'.repeat(320);
  fc.assert(
    fc.property(fc.integer({ min: 1 }), value, (id, text) => {
      const place: Cursor = { id, sorted: { by: 'title', value: text } };
      const cursor = nextCursor([place], { limit: 1 }, (row) => row) ?? '';
      expect(read(cursor).data?.cursor).toEqual(place);
    }),
    { examples: [[1, longest]] },
  );
});

test.each([
  ['an empty page', [], 2],
  ['a page that is not full', [{ id: 3 }], 2],
])('%s has no next cursor', (_what, rows, limit) => {
  expect(nextCursor(rows, { limit }, (row) => row)).toBeNull();
});

test('with a cursor, the page begins after the row of the cursor, without an offset', () => {
  const cursor = nextCursor([{ id: 7 }], { limit: 1 }, (row) => row) ?? '';
  const range = cursorRange(CursorQuery.parse({ page: 3, size: 10, cursor }));
  expect(range).toEqual({ page: 3, limit: 10, offset: 0, after: { id: 7 } });
});

test('422 invalid_input: a list ordered by time accepts no cursor without a time', () => {
  expect(() => exactPlace({ id: 7 })).toThrow(expect.objectContaining({ code: 'invalid_input' }) as Error);
  expect(exactPlace(undefined)).toBeUndefined();
});

test.each(['', '!', 'bnVsbA', Buffer.from('["1"]').toString('base64url'), 'x'.repeat(201)])(
  '%j is not a cursor',
  (text) => expect(read(text).success).toBe(false),
);

test.each([
  '2026-01-01',
  "2026-01-01'; DROP TABLE x",
  '2026-01-01 10:00:00 pg_sleep(9)',
  '2026-02-30 10:00:00+00',
  '2026-01-01 25:00:00+00',
  '2026-01-01 10:00:00+23',
  '2026-01-01 10:00:00',
  '0000-01-01 10:00:00+00',
])('%j is not the time of a cursor', (at) =>
  expect(read(Buffer.from(JSON.stringify([1, at])).toString('base64url')).success).toBe(false),
);
