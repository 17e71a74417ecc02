import fc from 'fast-check';
import { type GeoLocation } from '../../src/adapters/geoip';
import { type GeoRule, type RestrictionRows } from '../../src/restrictions/restrictions.model';
import {
  ageOn,
  arrangeRules,
  holdsHost,
  judge,
  judgeAge,
  judgeDomain,
  judgePlace,
  rulesOfItem,
} from '../../src/restrictions/evaluate';
import { lists, placeRule } from '../support/restrictionRules';

const day = (text: string) => new Date(`${text}T00:00:00Z`);
const date = fc.date({ min: day('1900-01-01'), max: day('2099-12-31'), noInvalidDate: true });
const asDay = (instant: Date) => instant.toISOString().slice(0, 10);

describe('age', () => {
  test.each([
    ['2008-11-21', '2026-11-20', 17],
    ['2008-11-21', '2026-11-21', 18],
    ['2008-02-29', '2026-02-28', 17],
    ['2008-02-29', '2026-03-01', 18],
    ['2008-02-29', '2028-02-28', 19],
    ['2008-02-29', '2028-02-29', 20],
    ['2008-12-31', '2026-12-30', 17],
    ['2008-01-01', '2025-12-31', 17],
    ['2026-11-21', '2026-11-21', 0],
  ])('born on %s, on %s: %i', (born, today, age) => expect(ageOn(day(today), born)).toBe(age));

  test('a day begins and ends in UTC', () => {
    expect(ageOn(new Date('2026-11-20T23:59:59.999Z'), '2008-11-21')).toBe(17);
    expect(ageOn(new Date('2026-11-21T00:00:00.000Z'), '2008-11-21')).toBe(18);
  });

  test.each([
    ['2026-11-20', 'refused'],
    ['2026-11-21', 'passed'],
    ['2027-11-21', 'passed'],
  ])('on %s, somebody who is 18 on 2026-11-21 is %s', (today, outcome) =>
    expect(judgeAge(18, '2008-11-21', day(today)).outcome).toBe(outcome),
  );

  test('never falls, grows by one at most from one day to the next, and by one from year to year', () => {
    fc.assert(
      fc.property(date, date, (born, today) => {
        const age = ageOn(today, asDay(born));
        const tomorrow = new Date(today.getTime() + 86_400_000);
        expect([age, age + 1]).toContain(ageOn(tomorrow, asDay(born)));
        if (asDay(today).endsWith('-02-29')) return;
        const nextYear = new Date(today);
        nextYear.setUTCFullYear(today.getUTCFullYear() + 1);
        expect(ageOn(nextYear, asDay(born))).toBe(age + 1);
      }),
    );
  });

  test('a minimum age lets in exactly those who have it', () => {
    fc.assert(
      fc.property(date, date, fc.integer({ min: 1, max: 150 }), (born, today, minAge) => {
        const { outcome } = judgeAge(minAge, asDay(born), today);
        expect(outcome).toBe(ageOn(today, asDay(born)) >= minAge ? 'passed' : 'refused');
      }),
    );
  });

  test('without a date of birth everybody is refused, and without a minimum age nobody', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), date, (minAge, today) => {
        expect(judgeAge(minAge, null, today).outcome).toBe('refused');
        expect(judgeAge(undefined, null, today).outcome).toBe('no_rule');
      }),
    );
  });
});

describe('domain', () => {
  const domain = fc.domain().map((name) => name.toLowerCase());
  const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);

  test('a domain holds itself and what is below it, and nothing that only ends like it', () => {
    fc.assert(
      fc.property(domain, label, (name, sub) => {
        const list = new Set([name]);
        expect([name, `${sub}.${name}`, `a.${sub}.${name}`].every((host) => holdsHost(list, host))).toBe(true);
        expect([`${sub}${name}`, `${name}.${sub}`, sub].some((host) => holdsHost(list, host))).toBe(false);
      }),
    );
  });

  test('a blacklist wins over a whitelist, whatever is on it', () => {
    fc.assert(
      fc.property(fc.array(domain), domain, label, (white, name, sub) => {
        const both = lists([...white, name, `${sub}.${name}`], [name]);
        expect(judgeDomain(both, { host: name }).outcome).toBe('refused');
        expect(judgeDomain(both, { host: `${sub}.${name}` }).outcome).toBe('refused');
      }),
    );
  });

  test('without a host a whitelist refuses, and a blacklist does not', () => {
    fc.assert(
      fc.property(fc.array(domain), fc.array(domain), (white, black) => {
        const expected = white.length > 0 ? 'refused' : 'passed';
        expect(judgeDomain(lists(white, black), {}).outcome).toBe(expected);
      }),
    );
  });
});

const countries = ['MK', 'US', 'GB', 'FR'];
const country = fc.constantFrom(...countries);
const geoRule = fc.record<GeoRule>({
  type: fc.constantFrom('whitelist', 'blacklist'),
  countries: fc.subarray([...countries, 'US-TX']),
  regions: fc.subarray(['US-CA', 'GB-ENG', 'GB-LND']),
  cities: fc.array(
    fc.record({ name: fc.constantFrom('London', 'Paris'), country, region: fc.constantFrom(null, 'GB-LND') }),
  ),
});
const place: fc.Arbitrary<GeoLocation> = fc.oneof(
  fc.constant<GeoLocation>({ regions: [] }),
  country.map((found): GeoLocation => ({ country: found, regions: [] })),
  fc.constant<GeoLocation>({ country: 'US', regions: ['US-CA'], city: 'Fresno' }),
  fc.constant<GeoLocation>({ country: 'GB', regions: ['GB-ENG', 'GB-LND'], city: 'London' }),
);

describe('place', () => {
  test('a blacklist wins over any whitelist', () => {
    fc.assert(
      fc.property(fc.array(geoRule), country, (rules, found) => {
        const all = [
          ...rules,
          placeRule('blacklist', { countries: [found] }),
          placeRule('whitelist', { countries: [found] }),
        ];
        expect(judgePlace(all, { country: found, regions: [] }).outcome).toBe('refused');
      }),
    );
  });

  test('another whitelist never refuses who had passed one, and the order of rules counts for nothing', () => {
    fc.assert(
      fc.property(fc.array(geoRule, { minLength: 1 }), geoRule, place, (rules, more, visitor) => {
        const { outcome } = judgePlace(rules, visitor);
        expect(judgePlace([...rules].reverse(), visitor).outcome).toBe(outcome);
        if (outcome !== 'passed' || !rules.some(({ type }) => type === 'whitelist')) return;
        expect(judgePlace([...rules, { ...more, type: 'whitelist' }], visitor).outcome).toBe('passed');
      }),
    );
  });

  test('an unknown country is refused by a whitelist and passes a blacklist', () => {
    fc.assert(
      fc.property(fc.array(geoRule, { minLength: 1 }), (rules) => {
        const expected = rules.some(({ type }) => type === 'whitelist') ? 'refused' : 'passed';
        expect(judgePlace(rules, { regions: [] }).outcome).toBe(expected);
      }),
    );
  });

  const london: GeoLocation = { country: 'GB', regions: ['GB-ENG', 'GB-LND'], city: 'London' };
  const city = { name: 'london', country: 'GB', region: null };
  test.each([
    ['its country', { countries: ['GB'] }, 'passed'],
    ['a region of its own among the countries', { countries: ['GB-LND'] }, 'passed'],
    ['the larger of its regions', { regions: ['GB-ENG'] }, 'passed'],
    ['the smaller of its regions', { regions: ['GB-LND'] }, 'passed'],
    ['the city by its country', { cities: [city] }, 'passed'],
    ['the city by its region', { cities: [{ ...city, region: 'GB-LND' }] }, 'passed'],
    ['a city of this name elsewhere', { cities: [{ ...city, country: 'CA' }] }, 'refused'],
    ['a city of this name in another region', { cities: [{ ...city, region: 'GB-SCT' }] }, 'refused'],
    ['another region', { regions: ['GB-SCT'] }, 'refused'],
    ['nothing', {}, 'refused'],
  ])('a whitelist with %s', (_what, of, outcome) => {
    expect(judgePlace([placeRule('whitelist', of)], london).outcome).toBe(outcome);
  });

  test('a city is found by its name without accents', () => {
    const cities = [{ name: 'koln', country: 'DE', region: null }];
    const place = { country: 'DE', regions: [], city: 'Köln' };
    expect(judgePlace([placeRule('whitelist', { cities })], place).outcome).toBe('passed');
  });

  test('a region that nobody knows is on no list', () => {
    const rules = [placeRule('whitelist', { regions: ['US-CA'] })];
    expect(judgePlace(rules, { country: 'US', regions: [] }).outcome).toBe('refused');
  });
});

const nothing: RestrictionRows = {
  settings: null,
  ages: [],
  domains: [],
  countrySets: [],
  itemSets: [],
  geoSets: [],
};

describe('an item’s own rule stands in for the merchant’s', () => {
  test('of its kind alone: each is there, or not, apart from the others', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (age, domain, geo) => {
        const rules = arrangeRules({
          ...nothing,
          ages: [{ itemId: null, minAge: 18 }, ...(age ? [{ itemId: 1, minAge: 6 }] : [])],
          domains: [
            { itemId: null, type: 'whitelist', domain: 'home.example' },
            ...(domain ? [{ itemId: 1, type: 'blacklist' as const, domain: 'evil.example' }] : []),
          ],
          countrySets: [
            { id: 7, type: 'blacklist', isGlobal: false, countries: ['US'] },
            { id: 8, type: 'whitelist', isGlobal: true, countries: ['MK'] },
          ],
          itemSets: geo ? [{ itemId: 1, setId: 7 }] : [],
          geoSets: [placeRule('whitelist', { countries: ['AL'] })],
        });
        const visitor = {
          host: undefined,
          isOwnHost: false,
          place: { country: 'FR', regions: [] },
          dateOfBirth: '2016-01-01',
        };
        const outcomesOf = (itemId: number) =>
          judge(rulesOfItem(rules, itemId), { ...visitor, today: day('2026-01-01') }).map(({ outcome }) => outcome);
        expect(outcomesOf(2)).toEqual(['refused', 'refused', 'refused']);
        expect(outcomesOf(1)).toEqual([domain, geo, age].map((isOwn) => (isOwn ? 'passed' : 'refused')));
      }),
    );
  });

  test('without any rule nobody is refused', () => {
    const visitor = {
      host: undefined,
      isOwnHost: false,
      place: { regions: [] },
      dateOfBirth: null,
      today: day('2026-01-01'),
    };
    const outcomes = judge(rulesOfItem(arrangeRules(nothing), 1), visitor);
    expect(outcomes.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['domain', 'no_rule'],
      ['geo', 'no_rule'],
      ['age', 'no_rule'],
    ]);
  });
});
