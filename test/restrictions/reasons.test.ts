import { type GeoRule, type RestrictionRows } from '../../src/restrictions/restrictions.model';
import { arrangeRules, judge, judgeAge, judgeDomain, judgePlace, rulesOfItem } from '../../src/restrictions/evaluate';
import { lists, placeRule } from '../support/restrictionRules';

/** The verdict on each kind of rule with its reason, and the rules as they are arranged for it. */

describe('a domain', () => {
  const rules = lists(['good.example'], ['evil.example']);
  const nobody = 'a visitor without Origin and Referer';

  test.each([
    [undefined, {}, 'no_rule', 'no domain is restricted'],
    [undefined, { host: 'evil.example' }, 'no_rule', 'no domain is restricted'],
    [rules, { host: 'a.evil.example' }, 'refused', 'a.evil.example is on the blacklist'],
    [rules, { host: 'evil.example', isOwnHost: true }, 'refused', 'evil.example is on the blacklist'],
    [rules, { refererHost: 'evil.example' }, 'refused', 'evil.example is on the blacklist'],
    [rules, { host: 'good.example', refererHost: 'evil.example' }, 'passed', 'good.example may show the item'],
    [rules, { host: 'good.example' }, 'passed', 'good.example may show the item'],
    [rules, { host: 'other.example' }, 'refused', 'other.example is not on the whitelist'],
    [rules, { host: 'other.example', isOwnHost: true }, 'passed', 'other.example may show the item'],
    [rules, { refererHost: 'good.example' }, 'refused', `${nobody} is not on the whitelist`],
    [rules, {}, 'refused', `${nobody} is not on the whitelist`],
    [rules, { isOwnHost: true }, 'passed', `${nobody} may show the item`],
    [lists([], ['evil.example']), {}, 'passed', `${nobody} may show the item`],
    [lists([], []), { host: 'evil.example' }, 'passed', 'evil.example may show the item'],
  ] as const)('%j for %j: %s, because %s', (rule, visitor, outcome, reason) =>
    expect(judgeDomain(rule, visitor)).toEqual({ kind: 'domain', outcome, reason }),
  );
});

describe('a place', () => {
  const white = placeRule('whitelist', { countries: ['MK'] });
  const black = placeRule('blacklist', { countries: ['US'] });

  test.each([
    [[], { country: 'US' }, 'no_rule', 'no place is restricted'],
    [[white, black], { country: 'US' }, 'refused', 'US is on a blacklist'],
    [[white, black], { country: 'FR' }, 'refused', 'FR is on no whitelist'],
    [[white, black], {}, 'refused', 'an unknown country is on no whitelist'],
    [[white, black], { country: 'MK' }, 'passed', 'MK may see the item'],
    [[black], { country: 'MK' }, 'passed', 'MK may see the item'],
    [[black], {}, 'passed', 'an unknown country may see the item'],
  ] as const)('%j for %j: %s, because %s', (rules, place, outcome, reason) =>
    expect(judgePlace(rules, { regions: [], ...place })).toEqual({ kind: 'geo', outcome, reason }),
  );

  test('a region without a country is on no list', () =>
    expect(judgePlace([placeRule('whitelist', { regions: ['US-CA'] })], { regions: ['US-CA'] }).outcome).toBe(
      'refused',
    ));

  test('another city of the same region is not the listed one', () => {
    const cities = [{ name: 'London', country: 'GB', region: 'GB-ENG' }];
    const place = { country: 'GB', regions: ['GB-ENG'], city: 'Leeds' };
    expect(judgePlace([placeRule('whitelist', { cities })], place).outcome).toBe('refused');
  });
});

describe('an age', () => {
  const today = new Date('2026-01-31T12:00Z');

  test.each([
    [undefined, null, 'no_rule', 'there is no minimum age'],
    [18, null, 'refused', 'the date of birth is unknown, and 18 is the minimum age'],
    [18, '2008-02-01', 'refused', '17 is below 18'],
    [18, '2008-01-31', 'passed', '18 is at least 18'],
    [0, null, 'refused', 'the date of birth is unknown, and 0 is the minimum age'],
  ] as const)('of %p, born on %p: %s, because %s', (minAge, dateOfBirth, outcome, reason) =>
    expect(judgeAge(minAge, dateOfBirth, today)).toEqual({ kind: 'age', outcome, reason }),
  );
});

describe('the rules of a merchant', () => {
  const none: RestrictionRows = {
    settings: null,
    ages: [],
    domains: [],
    countrySets: [],
    itemSets: [],
    geoSets: [],
  };
  const allOf = (countries: string[], type: GeoRule['type']) => ({ type, countries, regions: [], cities: [] });

  test('without rows, nothing is restricted, and ages are not verified', () =>
    expect(arrangeRules(none)).toEqual({
      ageVerification: { isEnabled: false, type: 'basic' },
      minAge: undefined,
      minAges: new Map(),
      domains: undefined,
      itemDomains: new Map(),
      geo: [],
      itemGeo: new Map(),
      countrySets: new Map(),
    }));

  test('the rows of items and of all items are kept apart', () => {
    const rows: RestrictionRows = {
      settings: { isEnabled: true, type: 'pin_code' },
      ages: [
        { itemId: 1, minAge: 6 },
        { itemId: null, minAge: 18 },
      ],
      domains: [
        { itemId: 1, type: 'blacklist', domain: 'evil.example' },
        { itemId: null, type: 'whitelist', domain: 'good.example' },
        { itemId: null, type: 'whitelist', domain: 'better.example' },
        { itemId: null, type: 'blacklist', domain: 'evil.example' },
      ],
      countrySets: [
        { id: 7, type: 'blacklist', isGlobal: false, countries: ['US'] },
        { id: 8, type: 'whitelist', isGlobal: true, countries: ['MK', 'AL'] },
      ],
      itemSets: [
        { itemId: 1, setId: 7 },
        { itemId: 2, setId: 9 },
      ],
      geoSets: [allOf(['FR'], 'whitelist')],
    };
    const rules = arrangeRules(rows);
    expect(rules).toEqual({
      ageVerification: { isEnabled: true, type: 'pin_code' },
      minAge: 18,
      minAges: new Map([[1, 6]]),
      domains: lists(['good.example', 'better.example'], ['evil.example']),
      itemDomains: new Map([[1, lists([], ['evil.example'])]]),
      geo: [allOf(['MK', 'AL'], 'whitelist'), allOf(['FR'], 'whitelist')],
      itemGeo: new Map([[1, [allOf(['US'], 'blacklist')]]]),
      countrySets: new Map([
        [7, { type: 'blacklist', countries: new Set(['US']) }],
        [8, { type: 'whitelist', countries: new Set(['MK', 'AL']) }],
      ]),
    });
    expect(rulesOfItem(rules, 2)).toEqual({ minAge: 18, domains: rules.domains, geo: rules.geo });
    expect(arrangeRules({ ...rows, ages: [{ itemId: 1, minAge: 6 }] }).minAge).toBeUndefined();
  });

  test('are judged in the order domain, place, age', () => {
    const visitor = {
      host: undefined,
      isOwnHost: false,
      place: { regions: [] },
      dateOfBirth: null,
      today: new Date(0),
    };
    const kinds = judge(rulesOfItem(arrangeRules(none), 1), visitor).map(({ kind }) => kind);
    expect(kinds).toEqual(['domain', 'geo', 'age']);
  });
});
