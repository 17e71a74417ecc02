import { decideTax, placesWithoutRate, type Registration, type TaxCase } from '../../../../src/billing/tax/decision';
import { packaged, parseRates } from '../../../../src/billing/tax/rates';
import { day, decide, oss } from '../../../support/taxDecisions';

describe('an exemption', () => {
  const exempt = { country: 'DE', scheme: 'exempt' } as const;
  const oneStopShop = { country: 'DE', scheme: 'oss' } as const;
  const british = { country: 'GB', scheme: 'domestic' } as const;
  const sold = (registrations: TaxCase['registrations'], country: string, of: Partial<TaxCase> = {}) =>
    decide({ registrations, evidence: { billing: country, network: country }, ...of });

  test.each<[string, TaxCase['registrations'], string, string, string, number]>([
    ['at home: no tax at home', [exempt], 'DE', 'exempt', 'DE', 0],
    ['at home: none in other member states below the threshold', [exempt], 'FR', 'exempt', 'DE', 0],
    ['at home: it says nothing about countries outside the Union', [exempt], 'US', 'not_registered', 'US', 0],
    ['beside the one stop shop: no tax at home', [exempt, oneStopShop], 'DE', 'exempt', 'DE', 0],
    ['beside the one stop shop: tax in other member states', [exempt, oneStopShop], 'FR', 'oss', 'FR', 20_000],
    ['beside another country: its tax there', [british, exempt], 'GB', 'domestic', 'GB', 20_000],
    ['beside another country: no tax at home', [british, exempt], 'DE', 'exempt', 'DE', 0],
    ['beside another country: none in other member states', [british, exempt], 'FR', 'exempt', 'DE', 0],
    ['beside tax in the same place: no tax', [oss[0], exempt], 'DE', 'exempt', 'DE', 0],
    ['abroad: only there', [oss[0], { country: 'FR', scheme: 'exempt' }], 'FR', 'exempt', 'FR', 0],
    ['abroad: tax at home', [oss[0], { country: 'FR', scheme: 'exempt' }], 'DE', 'domestic', 'DE', 19_000],
    ['abroad: tax elsewhere', [oss[0], { country: 'FR', scheme: 'exempt' }], 'IT', 'seller_country', 'DE', 19_000],
    ['abroad: before the one stop shop', [oneStopShop, { country: 'FR', scheme: 'exempt' }], 'FR', 'exempt', 'FR', 0],
  ])('%s', (_, registrations, country, treatment, taxed, milliPercent) =>
    expect(sold(registrations, country)).toEqual({ treatment, country: taxed, milliPercent, isProved: true }),
  );

  test('of a seller outside the Union says nothing about the Union', () =>
    expect(sold([{ country: 'GB', scheme: 'exempt' }], 'FR', { sellerCountry: 'GB' })).toMatchObject({
      treatment: 'not_registered',
      country: 'FR',
    }));

  test('of a country does not count as the exemption of a seller in another one', () =>
    expect(sold([{ country: 'AT', scheme: 'exempt' }], 'FR').treatment).toBe('not_registered'));

  test.each<[string, TaxCase['registrations'], string | undefined, string]>([
    ['covers that region', [{ country: 'CA', region: 'CA-ON', scheme: 'exempt' }], 'CA-ON', 'exempt'],
    ['covers no other region', [{ country: 'CA', region: 'CA-ON', scheme: 'exempt' }], 'CA-NS', 'not_registered'],
    ['covers no unknown region', [{ country: 'CA', region: 'CA-ON', scheme: 'exempt' }], undefined, 'not_registered'],
    [
      'comes before tax in the country',
      [
        { country: 'CA', scheme: 'domestic' },
        { country: 'CA', region: 'CA-ON', scheme: 'exempt' },
      ],
      'CA-ON',
      'exempt',
    ],
    [
      'comes after tax in the region',
      [
        { country: 'CA', scheme: 'exempt' },
        { country: 'CA', region: 'CA-ON', scheme: 'domestic' },
      ],
      'CA-ON',
      'domestic',
    ],
  ])('of a region %s', (_, registrations, region, treatment) =>
    expect(sold(registrations, 'CA', { region }).treatment).toBe(treatment),
  );
});

describe('a province with a tax of its own', () => {
  const canada = { country: 'CA', scheme: 'domestic' } as const;
  const quebec = { country: 'CA', region: 'CA-QC', scheme: 'domestic' } as const;
  const columbia = { country: 'CA', region: 'CA-BC', scheme: 'domestic' } as const;
  const evidence = { billing: 'CA', card: 'CA' };

  test.each<[string, Registration[], string, string, number]>([
    ['with both registrations has the rate of both taxes', [canada, quebec], 'CA-QC', 'domestic', 14_975],
    ['with its registration only has the rate of both taxes', [quebec], 'CA-QC', 'domestic', 14_975],
    ['with the registration of the country has the tax of the country', [canada], 'CA-QC', 'domestic', 5000],
    ['with the registration of another one has the tax of the country', [canada, quebec], 'CA-BC', 'domestic', 5000],
    ['without a rate has the tax of the country', [canada, columbia], 'CA-BC', 'domestic', 5000],
    ['without a rate and a registration of the country has no tax', [columbia], 'CA-BC', 'not_registered', 0],
    ['which exempts the seller has no tax', [canada, { ...quebec, scheme: 'exempt' }], 'CA-QC', 'exempt', 0],
  ])('%s', (_, registrations, region, treatment, milliPercent) =>
    expect(decide({ registrations, evidence, region })).toEqual({
      ...{ treatment, country: 'CA', region, milliPercent, isProved: true },
    }),
  );

  test('has the rate of the kind, or its standard rate', () => {
    const table = parseRates(
      'CA standard 2008-01-01 5\nCA CA-QC standard 2013-01-01 14.975\nCA CA-QC ebook 2013-01-01 5',
    );
    const rateOf = (kind: TaxCase['kind']) =>
      decideTax(table, {
        ...{ sellerCountry: 'CA', registrations: [quebec], evidence, region: 'CA-QC', kind },
        atMs: day('2026-03-01'),
      }).milliPercent;
    expect([rateOf('standard'), rateOf('ebook'), rateOf('press')]).toEqual([14_975, 5000, 14_975]);
  });
});

describe('a registration without a rate', () => {
  const without = (registration: Registration, table = packaged, at = '2026-03-01') =>
    placesWithoutRate(table, registration, day(at));

  test.each<[string, Registration, string[]]>([
    ['a country', { country: 'US', scheme: 'domestic' }, ['US']],
    ['a region', { country: 'US', region: 'US-NY', scheme: 'domestic' }, ['US-NY']],
    ['a province with a tax of its own', { country: 'CA', region: 'CA-BC', scheme: 'domestic' }, ['CA-BC']],
    ['a country that exempts', { country: 'US', scheme: 'exempt' }, []],
    ['a country for goods', { country: 'US', scheme: 'ioss' }, []],
    ['a known country', { country: 'DE', scheme: 'domestic' }, []],
    ['a region with a rate', { country: 'CA', region: 'CA-QC', scheme: 'domestic' }, []],
    ['a region with the rate of its country', { country: 'CA', region: 'CA-AB', scheme: 'domestic' }, []],
    ['the one stop shop', { country: 'IE', scheme: 'oss' }, []],
  ])('%s', (_, registration, places) => expect(without(registration)).toEqual(places));

  test('the one stop shop names the member states that have none', () => {
    const table = packaged.filter(({ country }) => !['FR', 'GR', 'GB'].includes(country));
    expect(without({ country: 'DE', scheme: 'oss' }, table)).toEqual(['FR', 'GR']);
  });

  test('before the first day of a rate there is none', () => {
    const table = parseRates('US US-NY standard 2026-03-02 8.875');
    const registration = { country: 'US', region: 'US-NY', scheme: 'domestic' } as const;
    expect([without(registration, table), without(registration, table, '2026-03-02')]).toEqual([['US-NY'], []]);
  });
});
