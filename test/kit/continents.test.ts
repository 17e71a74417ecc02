import { iso31661 } from 'iso-3166';
import { continentOf } from '../../src/kit/continents';

test('every country of ISO 3166-1 is on a continent', () => {
  const homeless = iso31661.map(({ alpha2 }) => alpha2).filter((code) => continentOf(code) === '');
  expect(homeless).toEqual([]);
});

test.each([
  ['MK', 'Europe'],
  ['US', 'North America'],
  ['BR', 'South America'],
  ['JP', 'Asia'],
  ['', ''],
  ['ZZ', ''],
])('of %j: %j', (code, continent) => expect(continentOf(code)).toBe(continent));
