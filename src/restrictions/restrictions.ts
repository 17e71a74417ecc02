import { merchantNow, now } from '../adapters/clock';
import { locationOf } from '../adapters/geoip';
import { ownHost } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { type PageHosts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { type CountrySetRule, findDateOfBirth } from './restrictions.model';
import { getRules } from './rules';
import { type ItemRules, judge, type MerchantRules, type Outcome, type RestrictionKind, rulesOfItem } from './evaluate';

export { type Outcome, type RestrictionKind } from './evaluate';
export { type ListType } from './restrictions.model';

/**
 * A visitor who wants to see an item. `dateOfBirth`: `YYYY-MM-DD`; `host`: the host of the requesting page; `address`:
 * IPv4 or IPv6.
 */
export interface Visitor {
  merchantId: number;
  dateOfBirth: string | null;
  host: string | undefined;
  /**
   * The host of the Referer if the Origin names no host. A blacklist applies to it; it does not satisfy a whitelist.
   */
  refererHost?: string | undefined;
  address: string;
  /** The merchant's time, if the caller knows it. Otherwise a minimum age needs one more query. */
  present?: Date;
}

export interface RestrictionVerdict {
  /** The first rule that refuses, in the order domain, geo, age. */
  refusedBy: RestrictionKind | undefined;
  /** One outcome for each kind, for the merchant's support staff. */
  outcomes: readonly Outcome[];
}

/** The restrictions of an item, and which facts of the visitor they need. */
export interface ItemRestrictions {
  /** Undefined if the merchant restricts nothing. */
  rules: ItemRules | undefined;
  /** The visitor's date of birth and the merchant's time are needed. */
  asksAge: boolean;
  /** Customers must enter a mailed pin code before they see an item. */
  asksPin: boolean;
}

const unrestricted: RestrictionVerdict = { refusedBy: undefined, outcomes: [] };

/** Answered from memory. */
export function getRestrictions(merchantId: number, itemId: number): ItemRestrictions | Promise<ItemRestrictions> {
  const all = getRules(merchantId);
  if (all instanceof Promise) return all.then((read) => restrictionsOf(read, itemId));
  return restrictionsOf(all, itemId);
}

function restrictionsOf(all: MerchantRules, itemId: number): ItemRestrictions {
  const rules = isEmpty(all) ? undefined : rulesOfItem(all, itemId);
  return { rules, asksAge: rules?.minAge !== undefined, asksPin: asksPin(all) };
}

/** Checks an item's rules for a visitor. Answered from memory, except the time of a merchant's test clock. */
export async function checkRestrictions(visitor: Visitor, itemId: number): Promise<RestrictionVerdict> {
  const found = await getRestrictions(visitor.merchantId, itemId);
  const isTimeAsked = found.asksAge && visitor.present === undefined;
  return judgeVisitor(found, isTimeAsked ? { ...visitor, present: await merchantNow(visitor.merchantId) } : visitor);
}

/** Judges a visitor by known restrictions. `visitor.present` is required if they include an age. */
export function judgeVisitor({ rules }: ItemRestrictions, visitor: Visitor): RestrictionVerdict {
  if (!rules) return unrestricted;
  const { host, refererHost, dateOfBirth, address, present = now() } = visitor;
  const outcomes = judge(rules, {
    host,
    refererHost,
    isOwnHost: host !== undefined && host === ownHost,
    dateOfBirth,
    place: rules.geo.length > 0 ? locationOf(address) : { regions: [] },
    today: present,
  });
  return { refusedBy: outcomes.find(({ outcome }) => outcome === 'refused')?.kind, outcomes };
}

/** Throws `access_restricted` if an item's rules refuse the caller of a request. */
export async function refuseRestricted(
  caller: Caller,
  { host, refererHost }: PageHosts,
  itemId: number,
): Promise<void> {
  const { merchantId, clientAddress: address } = caller;
  if (isEmpty(await getRules(merchantId))) return;
  const dateOfBirth = await findDateOfBirth(caller.accountId);
  const { refusedBy } = await checkRestrictions({ merchantId, dateOfBirth, host, refererHost, address }, itemId);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
}

/** Throws `item_restricted` if an item's domains or countries refuse a visitor without a known account. */
export async function refuseUnseen(
  visitor: Pick<Visitor, 'merchantId' | 'host' | 'refererHost' | 'address'>,
  itemId: number,
): Promise<void> {
  const { outcomes } = await checkRestrictions({ ...visitor, dateOfBirth: null }, itemId);
  const refusal = outcomes.find(({ kind, outcome }) => outcome === 'refused' && kind !== 'age');
  if (refusal) throw new AppError('item_restricted', { id: itemId, errors: { [refusal.kind]: texts[refusal.kind] } });
}

/**
 * Throws `access_restricted` if any rule refuses an item to a visitor without an account. Such a visitor has no known
 * age and no session with an entered pin.
 */
export async function refuseStranger(
  visitor: Pick<Visitor, 'merchantId' | 'host' | 'refererHost' | 'address'>,
  itemId: number,
): Promise<void> {
  const { refusedBy } = await checkRestrictions({ ...visitor, dateOfBirth: null }, itemId);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
  if (await needsPin(visitor.merchantId)) throw restricted('pin', itemId);
}

const texts = {
  domain: 'The item may not be shown on this domain.',
  geo: 'The item is not available in your country.',
  age: 'You are not old enough for the item, or your date of birth is unknown.',
  pin: 'The pin code must be validated first.',
} as const;

/** The response 402 `Access restricted` with the item's id; `errors` names the rule. */
export function restricted(by: RestrictionKind | 'pin', itemId: number): AppError {
  return new AppError('access_restricted', { id: itemId, errors: { [by]: texts[by] } });
}

/** Whether the merchant's customers must enter a mailed pin code before they see an item. */
export async function needsPin(merchantId: number): Promise<boolean> {
  return asksPin(await getRules(merchantId));
}

function asksPin({ ageVerification }: MerchantRules): boolean {
  return ageVerification.isEnabled && ageVerification.type === 'pin_code';
}

/** Answered from memory; undefined if the merchant has no such set. */
export async function findCountrySet(merchantId: number, setId: number): Promise<CountrySetRule | undefined> {
  return (await getRules(merchantId)).countrySets.get(setId);
}

function isEmpty({ minAge, minAges, domains, itemDomains, geo, itemGeo }: MerchantRules): boolean {
  return (
    minAge === undefined &&
    minAges.size === 0 &&
    domains === undefined &&
    itemDomains.size === 0 &&
    geo.length === 0 &&
    itemGeo.size === 0
  );
}
