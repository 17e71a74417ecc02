import { isShownWithTax } from '../../../../src/billing/tax/shownPrices';

/** Whether a price is shown with its tax: the country of the visitor decides, or the merchant. */

const at = (evidence: object, sellerCountry = 'DE') => ({ sellerCountry, evidence });

test.each(['DE', 'AT', 'GB', 'AU', 'JP', 'CH', 'NO', 'NZ', 'BR'])('%s: prices are shown with tax', (network) => {
  expect(isShownWithTax('by_country', at({ network }, 'US'))).toBe(true);
});

test.each(['US', 'CA'])('%s: prices are shown without tax, to consumers and to businesses', (country) => {
  expect(isShownWithTax('by_country', at({ network: country }))).toBe(false);
  expect(isShownWithTax('by_country', at({ billing: country, number: country }))).toBe(false);
});

test('two pieces of evidence count before one, and the seller’s country without any', () => {
  expect(isShownWithTax('by_country', at({ billing: 'US', card: 'DE', network: 'DE' }))).toBe(true);
  expect(isShownWithTax('by_country', at({ billing: 'US', card: 'US', network: 'DE' }))).toBe(false);
  expect(isShownWithTax('by_country', at({}))).toBe(true);
  expect(isShownWithTax('by_country', at({}, 'CA'))).toBe(false);
});

test('a business is where its number and its address are, whatever its card and network address', () => {
  const evidence = { billing: 'DE', number: 'DE', register: 'DE', card: 'US', network: 'US' };
  expect(isShownWithTax('by_country', at(evidence, 'US'))).toBe(true);
});

test.each([
  ['with_tax', true],
  ['without_tax', false],
] as const)('%s: one form for all countries', (rule, isWithTax) => {
  for (const network of ['US', 'DE', undefined]) expect(isShownWithTax(rule, at({ network }))).toBe(isWithTax);
});
