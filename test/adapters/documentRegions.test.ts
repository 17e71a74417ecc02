import { regionOf } from '../../src/adapters/documents/regions';

test.each([
  ['山田', 'JP', 'jp'],
  ['山田たろう', '', 'jp'],
  ['カフェ', 'DE', 'jp'],
  ['山', 'KR', 'kr'],
  ['김', '', 'kr'],
  ['山', 'TW', 'tc'],
  ['山', 'HK', 'tc'],
  ['ㄅ', '', 'tc'],
  ['山', 'CN', 'sc'],
  ['山', undefined, 'sc'],
  ['たろう', 'TW', 'tc'],
])('%s in %s has the shapes of %s', (text, country, expected) => expect(regionOf(text, country)).toBe(expected));
