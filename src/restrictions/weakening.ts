import { type DomainLists, type MerchantRules } from './evaluate';
import { type GeoRule } from './restrictions.model';

/**
 * Whether changed rules could allow a visitor whom the previous rules refuse. Such a change counts as a deletion. The
 * answer can be a wrong "yes" for places that contain each other, such as a country in place of its regions. The countries
 * of access fees are not compared: they choose the price of a visitor.
 */
export function areWeaker(after: MerchantRules, before: MerchantRules): boolean {
  const setIds = [...before.countrySets.keys()].filter((id) => after.countrySets.has(id));
  return (
    verifiesLess(after, before) ||
    isLooserSomewhere(agesOf(after), agesOf(before), isLowerAge) ||
    isLooserSomewhere(domainsOf(after), domainsOf(before), isLooser) ||
    isLooserSomewhere(placesOf(after), placesOf(before), isLooser) ||
    setIds.some((id) => isLooser(setOf(after, id), setOf(before, id)))
  );
}

function verifiesLess({ ageVerification: after }: MerchantRules, { ageVerification: before }: MerchantRules): boolean {
  if (!before.isEnabled) return false;
  return !after.isEnabled || (before.type === 'pin_code' && after.type === 'basic');
}

/** Rules of one kind. The rule of an item replaces the common one. */
interface Ruled<Rule> {
  common: Rule;
  ofItems: ReadonlyMap<number, Rule>;
}

function isLooserSomewhere<Rule>(
  after: Ruled<Rule>,
  before: Ruled<Rule>,
  isLooser: (after: Rule, before: Rule) => boolean,
): boolean {
  if (isLooser(after.common, before.common)) return true;
  const itemIds = [...new Set([...before.ofItems.keys(), ...after.ofItems.keys()])];
  const ruleOf = ({ ofItems, common }: Ruled<Rule>, id: number) => ofItems.get(id) ?? common;
  return itemIds.some((id) => isLooser(ruleOf(after, id), ruleOf(before, id)));
}

const agesOf = ({ minAge, minAges }: MerchantRules): Ruled<number | undefined> => ({
  common: minAge,
  ofItems: minAges,
});

const isLowerAge = (after: number | undefined, before: number | undefined) =>
  before !== undefined && (after === undefined || after < before);

/** Domains or places. `allowed` is undefined if everything that is not refused is allowed. */
interface Lists {
  refused: ReadonlySet<string>;
  allowed: ReadonlySet<string> | undefined;
}

function isLooser(after: Lists, before: Lists): boolean {
  if (!isWithin(before.refused, after.refused)) return true;
  if (before.allowed === undefined) return false;
  return after.allowed === undefined || !isWithin(after.allowed, before.allowed);
}

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((name) => whole.has(name));
}

const domainsOf = ({ domains, itemDomains }: MerchantRules): Ruled<Lists> => ({
  common: listsOf(domains),
  ofItems: new Map([...itemDomains].map(([id, lists]) => [id, listsOf(lists)])),
});

/** An empty whitelist has no effect. */
function listsOf(domains: DomainLists | undefined): Lists {
  const { blacklist = new Set<string>(), whitelist = new Set<string>() } = domains ?? {};
  return { refused: blacklist, allowed: whitelist.size > 0 ? whitelist : undefined };
}

const placesOf = ({ geo, itemGeo }: MerchantRules): Ruled<Lists> => ({
  common: joined(geo),
  ofItems: new Map([...itemGeo].map(([id, rules]) => [id, joined(rules)])),
});

function setOf({ countrySets }: MerchantRules, id: number): Lists {
  const set = countrySets.get(id);
  return joined(set ? [{ type: set.type, countries: [...set.countries], regions: [], cities: [] }] : []);
}

/** A place must match one of the whitelists. An empty whitelist matches no place. */
function joined(rules: readonly GeoRule[]): Lists {
  const ofType = (type: GeoRule['type']) => rules.filter((rule) => rule.type === type);
  const whitelists = ofType('whitelist');
  const allowed = whitelists.length > 0 ? new Set(whitelists.flatMap(namesIn)) : undefined;
  return { refused: new Set(ofType('blacklist').flatMap(namesIn)), allowed };
}

const namesIn = ({ countries, regions, cities }: GeoRule): string[] => [
  ...countries,
  ...regions,
  ...cities.map(({ name, country, region }) => JSON.stringify([name, country, region])),
];
