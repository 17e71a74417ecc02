import { findCapability } from '../../../src/billing/capabilities';
import { roundToStep } from '../../../src/billing/dues';

describe('what a card can be charged', () => {
  test.each([
    ['EUR', { least: 50, most: 99_999_999, step: 1 }],
    ['GBP', { least: 30, most: 99_999_999, step: 1 }],
    ['JPY', { least: 50, most: 9_999_999_999, step: 1 }],
    ['KWD', { least: 500, most: 99_999_990, step: 10 }],
    ['MGA', { least: 100, most: 99_999_900, step: 100 }],
    ['ISK', { least: 50, most: 999_999, step: 1 }],
    ['UGX', { least: 50, most: 999_999, step: 1 }],
  ])('%s: %j', (currency, capability) => expect(findCapability(currency)).toEqual(capability));

  test.each(['CLF', 'UYW', 'LYD', 'IQD', 'USN'])('nothing in %s', (currency) =>
    expect(findCapability(currency)).toBeUndefined(),
  );
});

test.each([
  [1149, 'KWD', 1140],
  [1140, 'KWD', 1140],
  [10_041, 'MGA', 10_000],
  [10_099, 'MGA', 10_000],
  [1149, 'EUR', 1149],
  [0, 'TND', 0],
])('%i of %s is charged as %i', (amount, currency, charged) => expect(roundToStep(amount, currency)).toBe(charged));
