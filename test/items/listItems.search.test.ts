import fc from 'fast-check';
import type * as search from '../../src/items/search';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let searchFilter: typeof search.searchFilter;

beforeAll(async () => {
  app = await startApp();
  ({ searchFilter } = await import('../../src/items/search.js'));
});

afterAll(() => app.stop());

const tenant = { merchantId: 7, merchantUuid: '00000000-0000-4000-8000-000000000007' };

// Few letters, so that many texts contain each other, and every special character of patterns, quotes and search terms.
const text = fc.string({ unit: fc.constantFrom(...'aB %_\\\':;-"[]()*?'), minLength: 1, maxLength: 8 });

test('200: a title is found by exactly the texts that it holds, whatever signs they are of', async () => {
  const pairs = fc.sample(fc.tuple(text, text), 2_000);
  const patterns = pairs.map(([, sought]) => searchFilter(tenant, [`title:${sought}`]).titles[0] ?? '');
  const { rows } = await app.pool.query<{ found: boolean }>(
    `SELECT title ILIKE pattern AS found FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS pair (title, pattern, place)
     ORDER BY place`,
    [pairs.map(([title]) => title), patterns],
  );
  const expected = pairs.map(([title, sought]) => title.toLowerCase().includes(sought.trim().toLowerCase()));
  expect(expected).toContain(true);
  expect(rows.map(({ found }) => found)).toEqual(expected);
});

test('200: whatever is sought, it is sought among the merchant’s own items', () => {
  const key = fc.constantFrom('title', 'id', 'external_id', 'merchant_id', 'merchant_uuid');
  const term = fc.tuple(key, fc.oneof(text, fc.integer().map(String))).map(([name, value]) => `${name}:${value}`);
  fc.assert(
    fc.property(fc.array(term, { maxLength: 10 }), (terms) => {
      const { merchantId, ids } = searchFilter(tenant, terms);
      const isForeign = terms.some((sent) => sent.startsWith('merchant_') && sent !== 'merchant_id:7');
      expect(merchantId).toBe(7);
      expect(ids[0] >= 1 && ids[1] <= 2_147_483_647).toBe(true);
      if (isForeign) expect(ids[0]).toBeGreaterThan(ids[1]);
    }),
  );
});
