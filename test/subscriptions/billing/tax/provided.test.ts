import { decisionOf, type ProvidedCase, type ProvidedPart } from '../../../../src/billing/tax/provided';

const of = (country: string, more: Partial<ProvidedCase> = {}): ProvidedCase => ({
  sellerCountry: 'DE',
  registrations: [{ country: 'DE', scheme: 'domestic' }],
  country,
  isProved: true,
  ...more,
});
const taxed = (country: string, milliPercent: number, amountMinor = 1, state?: string): ProvidedPart => ({
  country,
  ...(state !== undefined && { state }),
  milliPercent,
  amountMinor,
  reason: 'standard_rated',
});
const untaxed = (reason: string, country?: string): ProvidedPart => ({
  ...(country !== undefined && { country }),
  milliPercent: 0,
  amountMinor: 0,
  reason,
});

describe('a tax that the provider has calculated', () => {
  test.each<[string, ProvidedPart[], ProvidedCase, string, string, number]>([
    ['at home', [taxed('DE', 19_000)], of('DE'), 'domestic', 'DE', 19_000],
    [
      'of the seller’s country, for a customer elsewhere',
      [taxed('DE', 19_000)],
      of('AT'),
      'seller_country',
      'DE',
      19_000,
    ],
    ['of another member state', [taxed('AT', 20_000)], of('AT'), 'oss', 'AT', 20_000],
    [
      'of another member state with a registration of its own',
      [taxed('AT', 20_000)],
      of('AT', { registrations: [{ country: 'AT', scheme: 'domestic' }] }),
      'domestic',
      'AT',
      20_000,
    ],
    [
      'of another member state, with a registration elsewhere and an exemption there',
      [taxed('AT', 20_000)],
      of('AT', {
        registrations: [
          { country: 'FR', scheme: 'domestic' },
          { country: 'AT', scheme: 'exempt' },
        ],
      }),
      'oss',
      'AT',
      20_000,
    ],
    ['outside the Union', [taxed('GB', 20_000)], of('GB'), 'domestic', 'GB', 20_000],
    ['of a business abroad', [untaxed('reverse_charge', 'AT')], of('AT'), 'reverse_charge', 'AT', 0],
    ['of an exempt customer', [untaxed('customer_exempt', 'DE')], of('DE'), 'exempt', 'DE', 0],
    ['without a registration', [untaxed('not_collecting')], of('JP'), 'not_registered', 'JP', 0],
    ['in a place that is not supported', [untaxed('not_supported')], of('JP'), 'not_registered', 'JP', 0],
    ['without any part', [], of('JP'), 'not_registered', 'JP', 0],
    ['at zero, at home', [untaxed('zero_rated', 'DE')], of('DE'), 'domestic', 'DE', 0],
    ['at zero, in another member state', [untaxed('product_exempt', 'AT')], of('AT'), 'oss', 'AT', 0],
    [
      'in a state that collects nothing and one that is exempt',
      [untaxed('not_collecting'), untaxed('product_exempt', 'US')],
      of('US'),
      'domestic',
      'US',
      0,
    ],
    [
      'in two places that collect nothing',
      [untaxed('not_collecting'), untaxed('not_supported')],
      of('US'),
      'not_registered',
      'US',
      0,
    ],
  ])('%s', (_, parts, at, treatment, country, milliPercent) => {
    expect(decisionOf(parts, at)).toEqual({ treatment, country, milliPercent, isProved: true });
  });

  test('of several jurisdictions has the sum of the rates that are collected, and the state as its region', () => {
    const parts = [
      taxed('US', 4_000, 4, 'NY'),
      { ...taxed('US', 4_500, 0, 'NY'), reason: 'product_exempt' },
      taxed('US', 375, 1, 'NY'),
    ];
    expect(decisionOf(parts, of('US', { isProved: false }))).toEqual({
      treatment: 'domestic',
      country: 'US',
      region: 'US-NY',
      milliPercent: 4_375,
      isProved: false,
    });
  });

  test('has a state as its region in the United States and Canada only', () => {
    expect(decisionOf([taxed('DE', 19_000, 1, 'BE')], of('DE'))).not.toHaveProperty('region');
    expect(decisionOf([taxed('CA', 9_975, 1, 'QC')], of('CA')).region).toBe('CA-QC');
  });

  test('keeps the region of the address if it is one of the taxed country', () => {
    expect(decisionOf([taxed('PT', 16_000)], of('PT', { region: 'PT-20' })).region).toBe('PT-20');
    expect(decisionOf([taxed('DE', 19_000)], of('PT', { region: 'PT-20' }))).not.toHaveProperty('region');
    expect(decisionOf([untaxed('not_collecting')], of('US', { region: 'US-NY' })).region).toBe('US-NY');
  });
});
