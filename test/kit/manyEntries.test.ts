import { LRUCache } from 'lru-cache';
import { manyEntries } from '../../src/kit/manyEntries';

test.each([
  ['below the limit', 2],
  ['at the limit', 3],
  ['above the limit', 4],
])('a cache %s keeps the entries that were used last', (_title, count) => {
  const cache = new LRUCache<number, number>(manyEntries(3));
  for (let key = 1; key <= count; key += 1) cache.set(key, key);
  expect([...cache.keys()]).toEqual([4, 3, 2, 1].slice(4 - count).slice(0, 3));
});

test('values that are fetched count as well, and one that is replaced counts once', async () => {
  const cache = new LRUCache<number, number>({ ...manyEntries(2), fetchMethod: (key) => Promise.resolve(key) });
  for (const key of [1, 2, 2]) await cache.fetch(key);
  cache.set(2, 20);
  expect([...cache.keys()]).toEqual([2, 1]);
  await cache.fetch(3);
  expect([...cache.keys()]).toEqual([3, 2]);
});
