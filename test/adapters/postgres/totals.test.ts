import { totalOf } from '../../../src/adapters/postgres/totals';

/** A count that is asked, and how often. */
function counted(total: number) {
  const asked = { times: 0 };
  return { asked, count: () => Promise.resolve(((asked.times += 1), total)) };
}

test('the last page tells the total by itself', async () => {
  const { asked, count } = counted(99);
  expect(await totalOf('last', { limit: 10, offset: 20, found: 3 }, count)).toBe(23);
  expect(await totalOf('last', { limit: 10, offset: 0, found: 0 }, count)).toBe(0);
  expect(asked.times).toBe(0);
});

test('a full page, and one beyond the end, are counted each time', async () => {
  const { asked, count } = counted(30);
  expect(await totalOf('small', { limit: 10, offset: 0, found: 10 }, count)).toBe(30);
  expect(await totalOf('small', { limit: 10, offset: 90, found: 0 }, count)).toBe(30);
  expect(asked.times).toBe(2);
});

test('a large number is remembered for its list, and is never less than what was seen', async () => {
  const { asked, count } = counted(10_000);
  for (let page = 0; page < 3; page += 1)
    expect(await totalOf('large', { limit: 10, offset: page * 10, found: 10 }, count)).toBe(10_000);
  expect(asked.times).toBe(1);
  expect(await totalOf('large', { limit: 10, offset: 10_000, found: 10 }, count)).toBe(10_010);
  expect(await totalOf('other', { limit: 10, offset: 0, found: 10 }, counted(12_000).count)).toBe(12_000);
});
