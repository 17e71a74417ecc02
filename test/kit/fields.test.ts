import { definedFields } from '../../src/kit/fields';

test('only undefined is nothing', () => {
  expect(definedFields({ a: undefined, b: null, c: 0, d: '', e: false })).toEqual({ b: null, c: 0, d: '', e: false });
  expect(Object.keys(definedFields({ a: undefined }))).toEqual([]);
});
