import { type TaxCase } from '../../../../src/billing/tax/decision';
import {
  establishmentOf,
  hasTaxRegister,
  isInUnion,
  placeOf,
  regionOfAddress,
} from '../../../../src/billing/tax/places';
import { decide, oss } from '../../../support/taxDecisions';

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

test('Monaco is in the Union and its register, and the Isle of Man is not', () => {
  expect(['FR', 'MC', 'IM', 'GB', 'US'].map(isInUnion)).toEqual([true, true, false, false, false]);
  expect(['FR', 'MC', 'IM', 'GB', 'US'].map((country) => hasTaxRegister(country, undefined))).toEqual([
    ...[true, true, false, false, false],
  ]);
});

test.each(['ES-CE', 'ES-GC', 'ES-ML', 'ES-TF'])('numbers of %s are not in the register of the Union', (region) =>
  expect([hasTaxRegister('ES', region), hasTaxRegister('ES', 'ES-MD')]).toEqual([false, true]),
);

test.each([
  ['ES', '35001', undefined, 'ES-GC'],
  ['ES', '38001', 'ES-MD', 'ES-TF'],
  ['ES', '51001', undefined, 'ES-CE'],
  ['ES', '52001', undefined, 'ES-ML'],
  ['ES', '28001', 'ES-GC', undefined],
  ['ES', '28001', 'ES-MD', 'ES-MD'],
  ['ES', '', 'ES-GC', 'ES-GC'],
  ['ES', '3500', 'ES-GC', 'ES-GC'],
  ['DE', '35037', undefined, undefined],
])('%s, postal code %p, region %p: the region is %p', (country, postalCode, region, expected) =>
  expect(regionOfAddress(country, postalCode, region)).toBe(expected),
);

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
