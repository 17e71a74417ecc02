import { type GeoLocation } from '../adapters/geoip';
import { type CountrySetRule, type GeoRule, type ListType, type RestrictionRows } from './restrictions.model';

export type RestrictionKind = 'domain' | 'geo' | 'age';

export interface Outcome {
  kind: RestrictionKind;
  outcome: 'passed' | 'refused' | 'no_rule';
  /** For the merchant's support staff. */
  reason: string;
}

/** The domains that may show an item. An empty list has no effect. */
export interface DomainLists {
  whitelist: ReadonlySet<string>;
  blacklist: ReadonlySet<string>;
}

/** A merchant's rules in the form in which they are evaluated. */
export interface MerchantRules {
  ageVerification: { isEnabled: boolean; type: 'basic' | 'pin_code' };
  minAge: number | undefined;
  minAges: ReadonlyMap<number, number>;
  domains: DomainLists | undefined;
  itemDomains: ReadonlyMap<number, DomainLists>;
  geo: readonly GeoRule[];
  itemGeo: ReadonlyMap<number, readonly GeoRule[]>;
  countrySets: ReadonlyMap<number, CountrySetRule>;
}

/** The rules of one item. */
export interface ItemRules {
  minAge: number | undefined;
  domains: DomainLists | undefined;
  geo: readonly GeoRule[];
}

/** The known facts of a visitor. `isOwnHost`: the page is one of ours. */
export interface VisitorFacts {
  host: string | undefined;
  /** The host of the Referer if the Origin names no host. */
  refererHost?: string | undefined;
  isOwnHost: boolean;
  place: GeoLocation;
  /** `YYYY-MM-DD`. */
  dateOfBirth: string | null;
  today: Date;
}

export function arrangeRules(rows: RestrictionRows): MerchantRules {
  const globalAge = rows.ages.find(({ itemId }) => itemId === null);
  const sets = new Map(rows.countrySets.map((set) => [set.id, set]));
  const globalSets = rows.countrySets.filter(({ isGlobal }) => isGlobal).map(asGeoRule);
  const { common, ofItems } = arrangeDomains(rows.domains);
  return {
    ageVerification: rows.settings ?? { isEnabled: false, type: 'basic' },
    minAge: globalAge?.minAge,
    minAges: new Map(rows.ages.flatMap(({ itemId, minAge }) => (itemId === null ? [] : [[itemId, minAge] as const]))),
    domains: common,
    itemDomains: ofItems,
    geo: [...globalSets, ...rows.geoSets],
    itemGeo: new Map(
      rows.itemSets.flatMap(({ itemId, setId }) => {
        const set = sets.get(setId);
        return set ? [[itemId, [asGeoRule(set)]] as const] : [];
      }),
    ),
    countrySets: new Map(
      rows.countrySets.map(({ id, type, countries }) => [id, { type, countries: new Set(countries) }]),
    ),
  };
}

/** An item's own rule replaces the merchant's rule of the same kind only. */
export function rulesOfItem(rules: MerchantRules, itemId: number): ItemRules {
  return {
    minAge: rules.minAges.get(itemId) ?? rules.minAge,
    domains: rules.itemDomains.get(itemId) ?? rules.domains,
    geo: rules.itemGeo.get(itemId) ?? rules.geo,
  };
}

/** One outcome for each kind, in the order in which they are reported. */
export function judge(rules: ItemRules, visitor: VisitorFacts): Outcome[] {
  return [
    judgeDomain(rules.domains, visitor),
    judgePlace(rules.geo, visitor.place),
    judgeAge(rules.minAge, visitor.dateOfBirth, visitor.today),
  ];
}

/**
 * A listed domain includes its subdomains. An unknown page passes a blacklist and fails a whitelist. The service's own
 * pages show a merchant's items on its behalf, so they need not be on its whitelist. If the Origin names no host, the
 * Referer can only refuse: a blacklist applies to it, and it does not satisfy a whitelist.
 */
export function judgeDomain(
  lists: DomainLists | undefined,
  { host, refererHost, isOwnHost = false }: Partial<Pick<VisitorFacts, 'host' | 'refererHost' | 'isOwnHost'>>,
): Outcome {
  if (!lists) return { kind: 'domain', outcome: 'no_rule', reason: 'no domain is restricted' };
  const { whitelist, blacklist } = lists;
  const shownOn = host ?? refererHost;
  if (shownOn !== undefined && holdsHost(blacklist, shownOn))
    return refused('domain', `${shownOn} is on the blacklist`);
  const visitor = host ?? 'a visitor without Origin and Referer';
  const isListed = isOwnHost || (host !== undefined && holdsHost(whitelist, host));
  if (whitelist.size > 0 && !isListed) return refused('domain', `${visitor} is not on the whitelist`);
  return passed('domain', `${visitor} may show the item`);
}

/** A blacklist takes precedence over a whitelist; one matching whitelist is enough. */
export function judgePlace(rules: readonly GeoRule[], place: GeoLocation): Outcome {
  if (rules.length === 0) return { kind: 'geo', outcome: 'no_rule', reason: 'no place is restricted' };
  const country = place.country ?? 'an unknown country';
  const ofType = (type: ListType) => rules.filter((rule) => rule.type === type);
  if (ofType('blacklist').some((rule) => holdsPlace(rule, place)))
    return refused('geo', `${country} is on a blacklist`);
  const whitelists = ofType('whitelist');
  if (whitelists.length > 0 && !whitelists.some((rule) => holdsPlace(rule, place)))
    return refused('geo', `${country} is on no whitelist`);
  return passed('geo', `${country} may see the item`);
}

export function judgeAge(minAge: number | undefined, dateOfBirth: string | null, today: Date): Outcome {
  if (minAge === undefined) return { kind: 'age', outcome: 'no_rule', reason: 'there is no minimum age' };
  if (dateOfBirth === null) return refused('age', `the date of birth is unknown, and ${minAge} is the minimum age`);
  const age = ageOn(today, dateOfBirth);
  return age < minAge ? refused('age', `${age} is below ${minAge}`) : passed('age', `${age} is at least ${minAge}`);
}

/**
 * The age in full years, in UTC. A person born on 29 February turns a year older on 1 March in a year without that day.
 */
export function ageOn(today: Date, dateOfBirth: string): number {
  const year = Number(dateOfBirth.slice(0, 4));
  const month = Number(dateOfBirth.slice(5, 7));
  const day = Number(dateOfBirth.slice(8, 10));
  const thisMonth = today.getUTCMonth() + 1;
  const hadBirthday = thisMonth > month || (thisMonth === month && today.getUTCDate() >= day);
  return today.getUTCFullYear() - year - (hadBirthday ? 0 : 1);
}

/** True for a listed host and for its subdomains: `a.example.org` is below `example.org`, `badexample.org` is not. */
export function holdsHost(list: ReadonlySet<string>, host: string): boolean {
  if (list.size === 0) return false;
  for (let domain = host; ;) {
    if (list.has(domain)) return true;
    const dot = domain.indexOf('.');
    if (dot === -1) return false;
    domain = domain.slice(dot + 1);
  }
}

/** An unknown part of a place matches no list. */
function holdsPlace(rule: GeoRule, { country, regions, city }: GeoLocation): boolean {
  if (country === undefined) return false;
  if (rule.countries.includes(country)) return true;
  if (regions.some((region) => rule.regions.includes(region) || rule.countries.includes(region))) return true;
  return city !== undefined && rule.cities.some((listed) => isCity(listed, { country, regions, city }));
}

function isCity(listed: GeoRule['cities'][number], place: GeoLocation & { city: string }): boolean {
  if (listed.country !== place.country) return false;
  if (listed.region !== null && !place.regions.includes(listed.region)) return false;
  return sameName(listed.name, place.city);
}

const names = new Intl.Collator('en', { sensitivity: 'base' });

/** Ignores diacritics: many people type `koln` for `Köln`. */
function sameName(one: string, other: string): boolean {
  return names.compare(one.normalize('NFC'), other.normalize('NFC')) === 0;
}

function asGeoRule({ type, countries }: RestrictionRows['countrySets'][number]): GeoRule {
  return { type, countries, regions: [], cities: [] };
}

function arrangeDomains(rows: RestrictionRows['domains']) {
  const lists = new Map<number | null, Record<ListType, Set<string>>>();
  for (const { itemId, type, domain } of rows) {
    const found = lists.get(itemId) ?? { whitelist: new Set(), blacklist: new Set() };
    lists.set(itemId, found);
    found[type].add(domain);
  }
  const common: DomainLists | undefined = lists.get(null);
  const ofItems = new Map<number, DomainLists>();
  for (const [itemId, list] of lists) if (itemId !== null) ofItems.set(itemId, list);
  return { common, ofItems };
}

function refused(kind: RestrictionKind, reason: string): Outcome {
  return { kind, outcome: 'refused', reason };
}

function passed(kind: RestrictionKind, reason: string): Outcome {
  return { kind, outcome: 'passed', reason };
}
