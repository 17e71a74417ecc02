import { taxOfRefund } from '../../../../src/billing/tax/amounts';
import { decideTax, taxOf, type TaxCase } from '../../../../src/billing/tax/decision';
import { establishmentOf, placeOf } from '../../../../src/billing/tax/places';
import { packaged } from '../../../../src/billing/tax/rates';

const day = (text: string) => Date.parse(text);
const decide = (of: Partial<TaxCase>) =>
  decideTax(packaged, {
    sellerCountry: 'DE',
    registrations: [{ country: 'DE', scheme: 'domestic' }],
    evidence: { billing: 'DE', network: 'DE' },
    kind: 'standard',
    atMs: day('2026-03-01'),
    ...of,
  });
const oss = [
  { country: 'DE', scheme: 'domestic' },
  { country: 'DE', scheme: 'oss' },
] as const;

describe('the country of a customer', () => {
  test.each([
    ['two pieces agree', { billing: 'FR', network: 'FR' }, { country: 'FR', isProved: true }],
    [
      'card and network outvote the address',
      { billing: 'DE', card: 'FR', network: 'FR' },
      { country: 'FR', isProved: true },
    ],
    ['all differ: the address', { billing: 'DE', card: 'FR', network: 'IT' }, { country: 'DE', isProved: false }],
    ['no address: the card', { card: 'FR', network: 'IT' }, { country: 'FR', isProved: false }],
    ['one piece', { network: 'IT' }, { country: 'IT', isProved: false }],
    ['none', {}, undefined],
  ])('%s', (_, evidence, place) => {
    expect(placeOf(evidence)).toEqual(place);
  });
});

describe('the country of a business', () => {
  const address = { billing: 'AT', number: 'AT' };
  test.each([
    ['card and network of another country', { ...address, card: 'DE', network: 'DE' }, false],
    ['only its address and its number', address, false],
    ['a card of its country', { ...address, card: 'AT', network: 'DE' }, true],
    ['a network address of its country', { ...address, card: 'DE', network: 'AT' }, true],
    ['a number that the register has confirmed', { ...address, card: 'DE', network: 'DE', register: 'AT' }, true],
  ])('of the Union is that of its number and address: with %s', (_, evidence, isProved) =>
    expect(establishmentOf(evidence)).toEqual({ country: 'AT', isProved }),
  );

  test.each([
    ['no number', { billing: 'AT', card: 'AT', network: 'AT' }],
    ['an address of another country', { billing: 'DE', card: 'AT', network: 'AT', number: 'AT', register: 'AT' }],
    ['no address', { card: 'AT', network: 'AT', number: 'AT' }],
    ['nothing at all', {}],
  ])('is not known with %s', (_, evidence) => expect(establishmentOf(evidence)).toBeUndefined());

  test.each([
    ['a number that no piece contradicts', {}, { country: 'GB', isProved: false }],
    ['a card of its country', { card: 'GB', network: 'DE' }, { country: 'GB', isProved: true }],
    ['a network address of its country', { card: 'DE', network: 'GB' }, { country: 'GB', isProved: true }],
    ['one piece of another country', { network: 'DE' }, { country: 'GB', isProved: false }],
    ['pieces of two other countries', { card: 'DE', network: 'FR' }, { country: 'GB', isProved: false }],
    ['card and network of another country', { card: 'DE', network: 'DE' }, undefined],
  ])('outside the Union: %s', (_, pieces, place) =>
    expect(establishmentOf({ billing: 'GB', number: 'GB', ...pieces })).toEqual(place),
  );
});

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

  test('Japan, tax agency on the consumption tax: 1,100 yen with tax contain 100 yen', () => {
    const registrations = [{ country: 'JP', scheme: 'domestic' as const }];
    const decision = decide({ sellerCountry: 'JP', registrations, evidence: { card: 'JP', network: 'JP' } });
    expect(taxOf(1100, decision)).toEqual({ grossMinor: 1100, netMinor: 1000, taxMinor: 100 });
  });
});

/** Directive 2006/112/EC, articles 44 and 196, and Implementing Regulation 282/2011, articles 18, 20 and 21. */
describe('a business is taxed where it is established, whatever its card and its network address', () => {
  const german = { card: 'DE', network: 'DE' };
  const french = [
    { country: 'FR', scheme: 'domestic' },
    { country: 'FR', scheme: 'oss' },
  ] as const;

  test.each<[string, Partial<TaxCase>, string, string, number]>([
    [
      'in Austria, with a German card',
      { evidence: { billing: 'AT', number: 'AT', ...german } },
      'reverse_charge',
      'AT',
      0,
    ],
    [
      'at home, with a foreign card',
      { evidence: { billing: 'DE', number: 'DE', card: 'AT', network: 'AT' } },
      'domestic',
      'DE',
      19_000,
    ],
    [
      'in Austria, with a foreign seller that is registered there',
      {
        registrations: [...oss, { country: 'AT', scheme: 'domestic' }],
        evidence: { billing: 'AT', number: 'AT', ...german },
      },
      'reverse_charge',
      'AT',
      0,
    ],
    [
      'in Austria, which exempts the seller',
      { registrations: [{ country: 'AT', scheme: 'exempt' }], evidence: { billing: 'AT', number: 'AT' } },
      'exempt',
      'AT',
      0,
    ],
    [
      'in Austria, with a seller that is exempt at home',
      { registrations: [{ country: 'DE', scheme: 'exempt' }], evidence: { billing: 'AT', number: 'AT' } },
      'reverse_charge',
      'AT',
      0,
    ],
    [
      'in a country without the rule',
      { evidence: { billing: 'JP', number: 'JP', card: 'JP' } },
      'not_registered',
      'JP',
      0,
    ],
    [
      'outside the Union',
      { evidence: { billing: 'GB', number: 'GB', card: 'GB', network: 'DE' } },
      'reverse_charge',
      'GB',
      0,
    ],
    [
      'only by its word: a consumer',
      { sellerCountry: 'FR', registrations: french, evidence: { billing: 'GB', number: 'GB', ...german } },
      'oss',
      'DE',
      19_000,
    ],
    [
      'in another country than its address: a consumer',
      {
        sellerCountry: 'FR',
        registrations: french,
        evidence: { billing: 'DE', number: 'AT', register: 'AT', ...german },
      },
      'oss',
      'DE',
      19_000,
    ],
  ])('%s', (_, of, treatment, country, milliPercent) =>
    expect(decide(of)).toMatchObject({ treatment, country, milliPercent }),
  );
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
    expect(decide({ evidence: { billing: 'ES', card: 'ES' }, region: 'ES-GC' })).toStrictEqual({
      treatment: 'seller_country',
      country: 'DE',
      milliPercent: 19_000,
      isProved: true,
    }));
});
