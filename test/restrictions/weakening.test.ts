import fc from 'fast-check';
import {
  arrangeRules,
  judge,
  type MerchantRules,
  rulesOfItem,
  type VisitorFacts,
} from '../../src/restrictions/evaluate';
import { type RestrictionRows } from '../../src/restrictions/restrictions.model';
import { areWeaker } from '../../src/restrictions/weakening';

/** Rules are weaker if they could allow a visitor whom the previous rules refuse. */

const none: RestrictionRows = { settings: null, ages: [], domains: [], countrySets: [], itemSets: [], geoSets: [] };
const rules = (rows: Partial<RestrictionRows>) => arrangeRules({ ...none, ...rows });

const age = (minAge: number, itemId: number | null = null) => ({ itemId, minAge });
const on = (type: 'whitelist' | 'blacklist', domain: string, itemId: number | null = null) => ({
  itemId,
  type,
  domain,
});
const set = (id: number, type: 'whitelist' | 'blacklist', countries: string[], isGlobal = true) => ({
  id,
  type,
  countries,
  isGlobal,
});
const place = (
  type: 'whitelist' | 'blacklist',
  countries: string[],
  regions: string[] = [],
  cities: string[] = [],
) => ({
  type,
  countries,
  regions,
  cities: cities.map((name) => ({ name, country: 'US', region: null })),
});
const verifies = (type: 'basic' | 'pin_code', isEnabled = true) => ({ isEnabled, type });

type Change = [name: string, before: Partial<RestrictionRows>, after: Partial<RestrictionRows>];

const weaker: Change[] = [
  ['a lower age', { ages: [age(18)] }, { ages: [age(17)] }],
  ['no age', { ages: [age(0)] }, {}],
  ['an own age below the common one', { ages: [age(18)] }, { ages: [age(18), age(0, 1)] }],
  ['no own age, and a lower common one', { ages: [age(12), age(18, 1)] }, { ages: [age(12)] }],
  ['a domain less on a blacklist', { domains: [on('blacklist', 'a.example')] }, {}],
  [
    'a domain more on a whitelist',
    { domains: [on('whitelist', 'a.example')] },
    { domains: [on('whitelist', 'a.example'), on('whitelist', 'b.example')] },
  ],
  ['no whitelist', { domains: [on('whitelist', 'a.example')] }, {}],
  [
    'another list of an item in place of the common one',
    { domains: [on('blacklist', 'a.example')] },
    { domains: [on('blacklist', 'a.example'), on('blacklist', 'b.example', 1)] },
  ],
  [
    'a country less on a blacklist',
    { countrySets: [set(1, 'blacklist', ['MK'])] },
    { countrySets: [set(1, 'blacklist', [])] },
  ],
  [
    'a country more on a whitelist',
    { countrySets: [set(1, 'whitelist', [])] },
    { countrySets: [set(1, 'whitelist', ['MK'])] },
  ],
  [
    'a set that is not global any more',
    { countrySets: [set(1, 'whitelist', ['MK'])] },
    { countrySets: [set(1, 'whitelist', ['MK'], false)] },
  ],
  [
    'a second whitelist, because one is enough',
    { countrySets: [set(1, 'whitelist', ['MK'])] },
    { countrySets: [set(1, 'whitelist', ['MK'])], geoSets: [place('whitelist', ['DE'])] },
  ],
  [
    'a set of an item in place of the common one',
    { countrySets: [set(1, 'blacklist', ['MK']), set(2, 'blacklist', ['DE'], false)] },
    {
      countrySets: [set(1, 'blacklist', ['MK']), set(2, 'blacklist', ['DE'], false)],
      itemSets: [{ itemId: 1, setId: 2 }],
    },
  ],
  [
    'a country more in a set that may limit a fee',
    { countrySets: [set(1, 'whitelist', ['MK'], false)] },
    { countrySets: [set(1, 'whitelist', ['MK', 'DE'], false)] },
  ],
  ['a region less', { geoSets: [place('blacklist', [], ['US-CA'])] }, { geoSets: [place('blacklist', [])] }],
  ['a city less', { geoSets: [place('blacklist', [], [], ['Paris'])] }, { geoSets: [place('blacklist', [])] }],
  ['no verification', { settings: verifies('basic') }, { settings: verifies('basic', false) }],
  ['no pin', { settings: verifies('pin_code') }, { settings: verifies('basic') }],
];

test.each(weaker)('weaker: %s', (_name, before, after) => expect(areWeaker(rules(after), rules(before))).toBe(true));

const others: Change[] = [
  ['nothing', {}, {}],
  [
    'the same',
    { ages: [age(18)], domains: [on('blacklist', 'a.example')] },
    { ages: [age(18)], domains: [on('blacklist', 'a.example')] },
  ],
  ['a first age', {}, { ages: [age(0)] }],
  ['a higher age', { ages: [age(17)] }, { ages: [age(18)] }],
  ['the common age as an own one', { ages: [age(18)] }, { ages: [age(18), age(18, 1)] }],
  ['a first whitelist', {}, { domains: [on('whitelist', 'a.example')] }],
  [
    'a domain more on a blacklist',
    { domains: [on('blacklist', 'a.example')] },
    { domains: [on('blacklist', 'a.example'), on('blacklist', 'b.example')] },
  ],
  ['a first set', {}, { countrySets: [set(1, 'whitelist', ['MK'])] }],
  [
    'a country less on a whitelist',
    { countrySets: [set(1, 'whitelist', ['MK', 'DE'])] },
    { countrySets: [set(1, 'whitelist', ['MK'])] },
  ],
  [
    'a region as a country',
    { geoSets: [place('blacklist', [], ['US-CA'])] },
    { geoSets: [place('blacklist', ['US-CA'])] },
  ],
  ['a pin', { settings: verifies('basic') }, { settings: verifies('pin_code') }],
  [
    'another kind while nothing is verified',
    { settings: verifies('pin_code', false) },
    { settings: verifies('basic', false) },
  ],
];

test.each(others)('not weaker: %s', (_name, before, after) =>
  expect(areWeaker(rules(after), rules(before))).toBe(false),
);

const listType = fc.constantFrom('whitelist' as const, 'blacklist' as const);
const itemId = fc.constantFrom(1, 2, null);
const countries = fc.subarray(['MK', 'US', 'US-CA']);
const someRules: fc.Arbitrary<MerchantRules> = fc
  .record({
    settings: fc.constant(null),
    ages: fc.uniqueArray(fc.record({ itemId, minAge: fc.constantFrom(0, 12, 18) }), { selector: (row) => row.itemId }),
    domains: fc.array(
      fc.record({ itemId, type: listType, domain: fc.constantFrom('a.example', 'b.a.example', 'c.example') }),
      { maxLength: 4 },
    ),
    countrySets: fc.tuple(
      ...[1, 2].map((id) => fc.record({ id: fc.constant(id), type: listType, isGlobal: fc.boolean(), countries })),
    ),
    itemSets: fc.uniqueArray(fc.record({ itemId: fc.constantFrom(1, 2), setId: fc.constantFrom(1, 2) }), {
      selector: (row) => row.itemId,
    }),
    geoSets: fc.array(
      fc.record({
        type: listType,
        countries,
        regions: fc.subarray(['US-CA', 'US-OR']),
        cities: fc.subarray([
          { name: 'Paris', country: 'US', region: null },
          { name: 'Paris', country: 'US', region: 'US-CA' },
        ]),
      }),
      { maxLength: 2 },
    ),
  })
  .map(arrangeRules);

const today = new Date('2026-06-01');
const visitors: VisitorFacts[] = [
  undefined,
  'a.example',
  'x.a.example',
  'b.a.example',
  'c.example',
  'd.example',
].flatMap((host) =>
  [true, false].flatMap((isOwnHost) =>
    [
      { regions: [] },
      { country: 'MK', regions: [] },
      { country: 'US', regions: [] },
      { country: 'US', regions: ['US-CA'], city: 'Paris' },
      { country: 'US', regions: ['US-OR'], city: 'Paris' },
      { country: 'US', regions: ['US-OR'] },
    ].flatMap((at) =>
      [null, '2025-01-01', '2010-01-01', '1990-01-01'].map((dateOfBirth) => ({
        host,
        isOwnHost,
        place: at,
        dateOfBirth,
        today,
      })),
    ),
  ),
);

test('rules that are not weaker refuse every visitor whom the previous rules refuse', () => {
  let compared = 0;
  fc.assert(
    fc.property(someRules, someRules, fc.boolean(), (before, other, isSame) => {
      // Two random sets of rules are rarely comparable, so some differ in the ages only.
      const after = isSame ? { ...before, minAge: other.minAge, minAges: other.minAges } : other;
      if (areWeaker(after, before)) return;
      compared += 1;
      for (const item of [1, 2, 3])
        for (const visitor of visitors) {
          const [was, is] = [before, after].map((each) => judge(rulesOfItem(each, item), visitor));
          was?.forEach(({ outcome }, index) => {
            if (outcome === 'refused') expect([visitor, is?.[index]?.outcome]).toEqual([visitor, 'refused']);
          });
        }
    }),
    { numRuns: 500 },
  );
  expect(compared).toBeGreaterThan(20);
});
