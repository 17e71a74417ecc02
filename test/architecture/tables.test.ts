import path from 'node:path';
import { type Files, readTree } from '../support/architecture';
import {
  foreignReads,
  foreignWrites,
  ownersOfTables,
  tablesOfSchema,
  tableUses,
  unlistedReads,
  unusedReads,
} from '../support/tableOwners';

const root = path.join(__dirname, '../..');
const files = readTree(root);

describe('the tables', () => {
  test('have one owner each', () => {
    expect(Object.values(ownersOfTables).flat().sort()).toEqual(tablesOfSchema(root));
  });

  test('are found in statements', () => expect(tableUses(files).length).toBeGreaterThan(300));

  test('are written by their owner and by privacy', () => expect(foreignWrites(files)).toEqual([]));

  test('are read by other rooms for a reason', () => {
    expect(unlistedReads(files)).toEqual([]);
    expect(unusedReads(files)).toEqual([]);
    expect(foreignReads.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

const one = (name: string, text: string): Files => new Map([[name, text]]);

describe('the check of tables reports', () => {
  test.each([
    'INSERT INTO accesses (id) VALUES (1)',
    'UPDATE accesses SET id = 1',
    'DELETE FROM accesses',
    'WITH old AS (DELETE FROM "accesses" RETURNING id) SELECT id FROM old',
  ])('a write of another room: %s', (text) => {
    expect(foreignWrites(one('src/customers/grants.model.ts', `const text = '${text}';`))).toEqual([
      'src/customers/grants.model.ts:1 writes accesses of entitlements',
    ]);
    expect(foreignWrites(one('src/entitlements/grants.model.ts', `const text = '${text}';`))).toEqual([]);
    expect(foreignWrites(one('src/privacy/erasures.model.ts', `const text = '${text}';`))).toEqual([]);
  });

  test.each(['SELECT id FROM vouchers', 'SELECT 1 FROM items JOIN vouchers ON true'])(
    'an unlisted read: %s',
    (text) => {
      expect(unlistedReads(one('src/items/items.model.ts', `const text = \`${text}\`;`))).toEqual([
        'src/items/items.model.ts:1 reads vouchers of vouchers',
      ]);
    },
  );

  test('a part of a template', () => {
    const text = 'const text = `SELECT ${columns} FROM vouchers WHERE ${condition}`;';
    expect(unlistedReads(one('src/items/items.model.ts', text))).toHaveLength(1);
  });

  test('an entry of the list that nothing uses', () => {
    expect(unusedReads(new Map())).toContain('webhooks of features');
  });
});
