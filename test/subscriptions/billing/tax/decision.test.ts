import { taxOfRefund } from '../../../../src/billing/tax/amounts';
import { decideTax, taxOf } from '../../../../src/billing/tax/decision';
import { packaged, parseRates } from '../../../../src/billing/tax/rates';
import { day, decide, oss } from '../../../support/taxDecisions';

/** Worked examples. Each names the rule of the guidance that it follows. */
describe('published guidance', () => {
  test('Germany, Value Added Tax Act, section 12: 119.00 EUR with tax contain 19.00 EUR', () => {
    const decision = decide({});
    expect(decision).toEqual({ treatment: 'domestic', country: 'DE', milliPercent: 19_000, isProved: true });
    expect(taxOf(11_900, decision)).toEqual({ grossMinor: 11_900, netMinor: 10_000, taxMinor: 1900 });
  });

  test('Germany, ministry’s letter on the lowered rates of 2020: the rate of the period counts, and a refund returns the rate that was charged', () => {
    const lowered = decide({ atMs: day('2020-12-15') });
    const later = decide({ atMs: day('2021-01-15') });
    expect([lowered.milliPercent, later.milliPercent]).toEqual([16_000, 19_000]);
    const charged = taxOf(11_600, lowered);
    expect(charged.taxMinor).toBe(1600);
    // Refunded in January: the tax of December is corrected, not a tax of 19 %.
    expect(taxOfRefund(charged, 0, 5800)).toEqual({ grossMinor: 5800, netMinor: 5000, taxMinor: 800 });
  });

  test('France, tax authority on press services online: 2.1 % for press, 5.5 % for books, 20 % for video, by the one stop shop', () => {
    const sold = (kind: 'standard' | 'ebook' | 'press') =>
      decide({ registrations: oss, evidence: { billing: 'FR', network: 'FR' }, kind });
    expect(sold('press')).toMatchObject({ treatment: 'oss', country: 'FR', milliPercent: 2100 });
    expect(sold('ebook').milliPercent).toBe(5500);
    expect(taxOf(1200, sold('standard'))).toEqual({ grossMinor: 1200, netMinor: 1000, taxMinor: 200 });
  });

  test('Ireland, Revenue on electronically supplied services: a business with a number accounts for the tax itself', () => {
    const decision = decide({ registrations: oss, evidence: { billing: 'IE', network: 'IE', number: 'IE' } });
    expect(decision).toEqual({ treatment: 'reverse_charge', country: 'IE', milliPercent: 0, isProved: true });
    expect(taxOf(2000, decision)).toEqual({ grossMinor: 2000, netMinor: 2000, taxMinor: 0 });
  });

  test('European Commission on the threshold of 10,000 EUR: without the one stop shop the seller’s own rate applies', () => {
    const decision = decide({ evidence: { billing: 'IT', network: 'IT' } });
    expect(decision).toMatchObject({ treatment: 'seller_country', country: 'DE', milliPercent: 19_000 });
  });

  test('United Kingdom, HMRC notice 701/10: electronic books and periodicals are zero-rated, video has 20 %', () => {
    const british = { sellerCountry: 'GB', registrations: [{ country: 'GB', scheme: 'domestic' as const }] };
    const evidence = { billing: 'GB', card: 'GB' };
    expect(decide({ ...british, evidence, kind: 'press' })).toMatchObject({ treatment: 'domestic', milliPercent: 0 });
    expect(taxOf(1200, decide({ ...british, evidence })).taxMinor).toBe(200);
  });

  test('Switzerland, tax authority on the rates of 2024: 8.1 % after and 7.7 % before, for a registered foreign seller', () => {
    const swiss = { registrations: [...oss, { country: 'CH', scheme: 'domestic' as const }] };
    const evidence = { billing: 'CH', network: 'CH' };
    expect(taxOf(10_810, decide({ ...swiss, evidence }))).toMatchObject({ netMinor: 10_000, taxMinor: 810 });
    expect(decide({ ...swiss, evidence, atMs: day('2023-12-31') }).milliPercent).toBe(7700);
  });

  test('Directive 2006/112/EC, article 7: Monaco is France for sellers, customers, tax numbers and the one stop shop', () => {
    const monaco = { billing: 'MC', network: 'FR' };
    const sold = decide({ registrations: oss, evidence: monaco, kind: 'press' });
    expect(sold).toEqual({ treatment: 'oss', country: 'FR', milliPercent: 2100, isProved: true });
    const business = decide({ registrations: oss, evidence: { billing: 'MC', network: 'MC', number: 'FR' } });
    expect(business).toEqual({ treatment: 'reverse_charge', country: 'FR', milliPercent: 0, isProved: true });
    const seller = { sellerCountry: 'MC', registrations: [{ country: 'MC', scheme: 'domestic' as const }] };
    expect(decide({ ...seller, evidence: { billing: 'FR', card: 'FR' } })).toMatchObject({
      ...{ treatment: 'domestic', country: 'FR', milliPercent: 20_000 },
    });
  });

  test('United Kingdom, HMRC notice 701/10 and the Isle of Man Act 1979: the Isle of Man has the rates of the United Kingdom', () => {
    const registrations = [{ country: 'GB', scheme: 'domestic' as const }];
    const sold = (kind: 'standard' | 'press') =>
      decide({ registrations, evidence: { billing: 'IM', card: 'GB' }, kind });
    expect(sold('standard')).toEqual({ treatment: 'domestic', country: 'GB', milliPercent: 20_000, isProved: true });
    expect(sold('press').milliPercent).toBe(0);
  });

  test('Protocol on Northern Ireland: it is in the Union for goods only, so services have the rates of the United Kingdom', () => {
    const registrations = [{ country: 'GB', scheme: 'domestic' as const }];
    const decision = decide({ registrations, evidence: { billing: 'GB', network: 'GB' }, region: 'GB-NIR' });
    expect(decision).toMatchObject({ treatment: 'domestic', country: 'GB', milliPercent: 20_000 });
  });

  test('Japan, tax agency on the consumption tax: 1,100 yen with tax contain 100 yen', () => {
    const registrations = [{ country: 'JP', scheme: 'domestic' as const }];
    const decision = decide({ sellerCountry: 'JP', registrations, evidence: { card: 'JP', network: 'JP' } });
    expect(taxOf(1100, decision)).toEqual({ grossMinor: 1100, netMinor: 1000, taxMinor: 100 });
  });
});

describe('the treatment', () => {
  test('a business in the seller’s own country pays its tax', () => {
    expect(decide({ evidence: { billing: 'DE', network: 'DE', number: 'DE' } })).toMatchObject({
      treatment: 'domestic',
      milliPercent: 19_000,
    });
  });

  test('a country without a registration has no tax', () => {
    expect(decide({ evidence: { billing: 'US', card: 'US' } })).toMatchObject({
      treatment: 'not_registered',
      country: 'US',
    });
    expect(decide({ registrations: [] })).toMatchObject({ treatment: 'not_registered', milliPercent: 0 });
  });

  test('a registration in a country whose rate is not known has no tax', () => {
    const registrations = [{ country: 'US', scheme: 'domestic' as const }];
    const decision = decide({ registrations, evidence: { billing: 'US', card: 'US' } });
    expect(decision).toMatchObject({ treatment: 'not_registered', milliPercent: 0 });
  });

  test('the import scheme is for goods and covers no service', () => {
    const registrations = [{ country: 'IE', scheme: 'ioss' as const }];
    const decision = decide({ sellerCountry: 'US', registrations, evidence: { billing: 'FR', network: 'FR' } });
    expect(decision.treatment).toBe('not_registered');
  });

  test('the one stop shop of a seller outside the Union covers every member state', () => {
    const registrations = [{ country: 'IE', scheme: 'oss' as const }];
    const sold = (country: string) =>
      decide({ sellerCountry: 'US', registrations, evidence: { billing: country, network: country } });
    expect(sold('IE')).toMatchObject({ treatment: 'oss', milliPercent: 23_000 });
    expect(sold('LU')).toMatchObject({ treatment: 'oss', milliPercent: 17_000 });
  });

  test('a registration of a region covers that region only', () => {
    const registrations = [{ country: 'CA', region: 'CA-ON', scheme: 'domestic' as const }];
    const sold = (region?: string) =>
      decide({ registrations, evidence: { billing: 'CA', card: 'CA' }, region }).treatment;
    expect([sold('CA-ON'), sold('CA-QC'), sold()]).toEqual(['domestic', 'not_registered', 'not_registered']);
  });

  test.each(['AE', 'AU', 'CA', 'CH', 'GB', 'IS', 'LI', 'NO', 'NZ', 'SA', 'SG', 'ZA', 'FR'])(
    'a business in %s pays the tax of a foreign seller itself',
    (country) =>
      expect(decide({ evidence: { billing: country, card: country, number: country } })).toMatchObject({
        treatment: 'reverse_charge',
        milliPercent: 0,
      }),
  );

  test.each([
    ['CH', 8100],
    ['LI', 8100],
    ['ZA', 15_000],
  ])('a seller that is registered in %s charges businesses there too', (country, milliPercent) => {
    const registrations = [...oss, { country, scheme: 'domestic' as const }];
    const evidence = { billing: country, card: country, number: country };
    expect(decide({ registrations, evidence })).toMatchObject({ treatment: 'domestic', country, milliPercent });
  });

  test.each(['FR', 'GB', 'NO'])(
    'a business in %s pays the tax itself, also if the seller is registered there',
    (country) => {
      const registrations = [{ country, scheme: 'domestic' as const }];
      const evidence = { billing: country, card: country, number: country };
      expect(decide({ registrations, evidence })).toMatchObject({ treatment: 'reverse_charge', milliPercent: 0 });
    },
  );

  test('the one stop shop does not cover the seller’s own country', () => {
    const registrations = [{ country: 'DE', scheme: 'oss' as const }];
    expect(decide({ registrations })).toMatchObject({ treatment: 'not_registered', milliPercent: 0 });
  });

  test.each([
    ['in the seller’s country', { country: 'DE', scheme: 'domestic' }, 'seller_country'],
    ['in a region at home', { country: 'DE', region: 'DE-BY', scheme: 'domestic' }, 'seller_country'],
    ['in another country', { country: 'FR', scheme: 'domestic' }, 'not_registered'],
    ['for goods', { country: 'DE', scheme: 'ioss' }, 'not_registered'],
  ] as const)('a registration %s decides about the other member states', (_, registration, treatment) =>
    expect(decide({ registrations: [registration], evidence: { billing: 'IT', network: 'IT' } }).treatment).toBe(
      treatment,
    ),
  );

  test('without any evidence the customer is taken to be where the seller is', () => {
    expect(decide({ evidence: {} })).toEqual({
      treatment: 'domestic',
      country: 'DE',
      milliPercent: 19_000,
      isProved: false,
    });
  });
});

describe('the region', () => {
  const evidence = { billing: 'CA', card: 'CA' };
  const registrations = [{ country: 'CA', scheme: 'domestic' as const }];

  test('of the country that gets the tax decides its rate, also if the registration is for the whole country', () =>
    expect(decide({ evidence, registrations, region: 'CA-ON' })).toStrictEqual({
      treatment: 'domestic',
      country: 'CA',
      region: 'CA-ON',
      milliPercent: 13_000,
      isProved: true,
    }));

  test.each([undefined, 'US-NY', 'CAB-ON'])('%p is not one of the country', (region) =>
    expect(decide({ evidence, registrations, region })).toStrictEqual({
      treatment: 'domestic',
      country: 'CA',
      milliPercent: 5000,
      isProved: true,
    }),
  );

  test('of the customer does not matter for the tax of the seller’s country', () =>
    expect(decide({ evidence: { billing: 'PT', card: 'PT' }, region: 'PT-20' })).toStrictEqual({
      treatment: 'seller_country',
      country: 'DE',
      milliPercent: 19_000,
      isProved: true,
    }));
});

describe('the Canary Islands, Ceuta and Melilla, outside of the Union’s tax territory', () => {
  const evidence = { billing: 'ES', card: 'ES' };
  const regions = ['ES-GC', 'ES-TF', 'ES-CE', 'ES-ML'];
  const spanish = { sellerCountry: 'ES', registrations: [{ country: 'ES', scheme: 'domestic' as const }] };
  const french = { sellerCountry: 'FR', registrations: [{ country: 'FR', scheme: 'domestic' as const }] };

  test.each(regions)(
    '%s is not in the one stop shop, not at home in Spain, and not a sale at home elsewhere',
    (region) => {
      for (const seller of [{ registrations: oss }, spanish, french])
        expect(decide({ ...seller, evidence, region })).toStrictEqual({
          treatment: 'not_registered',
          country: 'ES',
          region,
          milliPercent: 0,
          isProved: true,
        });
      expect(decide({ registrations: oss, evidence, region: 'ES-MD' })).toMatchObject({ treatment: 'oss' });
    },
  );

  test.each(regions)(
    '%s: the services for a business are supplied there, without a tax of the Union, whoever sells (article 44)',
    (region) => {
      const business = { ...evidence, number: 'ES' };
      for (const seller of [{ registrations: oss }, spanish, french])
        expect(decide({ ...seller, evidence: business, region })).toStrictEqual({
          ...{ treatment: 'outside_scope', country: 'ES', region, milliPercent: 0, isProved: true },
        });
      expect(decide({ registrations: oss, evidence: business, region: 'ES-MD' })).toMatchObject({
        treatment: 'reverse_charge',
      });
    },
  );

  test('a number there is in no register, so card and network address must not contradict it', () => {
    const business = { billing: 'ES', number: 'ES', card: 'DE', network: 'DE' };
    const sold = (region: string) => decide({ registrations: oss, evidence: business, region });
    expect(sold('ES-GC')).toMatchObject({ treatment: 'domestic', country: 'DE' });
    expect(sold('ES-MD')).toMatchObject({ treatment: 'reverse_charge', country: 'ES' });
  });

  test.each([
    ['domestic', 'domestic', 7000],
    ['exempt', 'exempt', 0],
  ] as const)('a business there: a seller with the scheme %s there is %s', (scheme, treatment, milliPercent) => {
    const table = [...packaged, ...parseRates('ES ES-GC standard 2020-01-01 7')];
    const registrations = [...oss, { country: 'ES', region: 'ES-GC', scheme }];
    const sale = { sellerCountry: 'DE', registrations, evidence: { ...evidence, number: 'ES' }, region: 'ES-GC' };
    const decision = decideTax(table, { ...sale, kind: 'standard', atMs: day('2026-06-01') });
    expect(decision).toMatchObject({ treatment, milliPercent });
  });

  test('a registration there has its own rate, which the operator adds', () => {
    const table = [...packaged, ...parseRates('ES ES-GC standard 2020-01-01 7')];
    const registrations = [...oss, { country: 'ES', region: 'ES-GC', scheme: 'domestic' as const }];
    const sold = (region: string) =>
      decideTax(table, {
        ...{ sellerCountry: 'DE', registrations, evidence, kind: 'standard' },
        region,
        atMs: day('2026-06-01'),
      });
    expect(sold('ES-GC')).toMatchObject({ treatment: 'domestic', milliPercent: 7000 });
    expect(sold('ES-TF')).toMatchObject({ treatment: 'not_registered', milliPercent: 0 });
  });
});
