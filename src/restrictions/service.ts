import { getAccountRow } from '../accounts/service';
import { merchantNow, now } from '../adapters/clock';
import { placeOf } from '../adapters/geoip';
import { ownHost } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { type CountrySetRule } from './model';
import { getRules } from './rules/service';
import {
  type ItemRules,
  judge,
  type MerchantRules,
  type Outcome,
  type RestrictionKind,
  rulesOfItem,
} from './verdicts/service';

export { type Outcome, type RestrictionKind } from './verdicts/service';

/** Who wants to see an item. `dateOfBirth`: `YYYY-MM-DD`; `host`: of the page that asks; `address`: IPv4 or IPv6. */
export interface Visitor {
  merchantId: number;
  dateOfBirth: string | null;
  host: string | undefined;
  address: string;
  /** The merchant's time, where the caller knows it: without it a minimum age is one more question to the database. */
  present?: Date;
}

export interface RestrictionVerdict {
  /** The first rule that refuses, in the order domain, geo, age. */
  refusedBy: RestrictionKind | undefined;
  /** Of each kind, for the merchant's support staff. */
  outcomes: readonly Outcome[];
}

/** What is in an item's way. Who asks for nothing more needs to read nothing more. */
export interface ItemRestrictions {
  /** Undefined: the merchant restricts nothing. */
  rules: ItemRules | undefined;
  /** A visitor's date of birth and the merchant's time decide. */
  asksAge: boolean;
  /** Customers enter a mailed pin code before they see an item (spec 5.7). */
  asksPin: boolean;
}

const unrestricted: RestrictionVerdict = { refusedBy: undefined, outcomes: [] };

/** From memory. */
export function getRestrictions(merchantId: number, itemId: number): ItemRestrictions | Promise<ItemRestrictions> {
  const all = getRules(merchantId);
  if (all instanceof Promise) return all.then((read) => restrictionsOf(read, itemId));
  return restrictionsOf(all, itemId);
}

function restrictionsOf(all: MerchantRules, itemId: number): ItemRestrictions {
  const rules = isEmpty(all) ? undefined : rulesOfItem(all, itemId);
  return { rules, asksAge: rules?.minAge !== undefined, asksPin: asksPin(all) };
}

/** Whether an item's rules let a visitor pass. From memory, but for a merchant's test clock. */
export async function checkRestrictions(visitor: Visitor, itemId: number): Promise<RestrictionVerdict> {
  const found = await getRestrictions(visitor.merchantId, itemId);
  const isTimeAsked = found.asksAge && visitor.present === undefined;
  return judgeVisitor(found, isTimeAsked ? { ...visitor, present: await merchantNow(visitor.merchantId) } : visitor);
}

/** The same of restrictions that are known, for a visitor with `present` where they ask for an age. */
export function judgeVisitor({ rules }: ItemRestrictions, visitor: Visitor): RestrictionVerdict {
  if (!rules) return unrestricted;
  const { host, dateOfBirth, address, present = now() } = visitor;
  const outcomes = judge(rules, {
    host,
    isOwnHost: host !== undefined && host === ownHost,
    dateOfBirth,
    place: rules.geo.length > 0 ? placeOf(address) : { regions: [] },
    today: present,
  });
  return { refusedBy: outcomes.find(({ outcome }) => outcome === 'refused')?.kind, outcomes };
}

/** Throws `access_restricted` when an item's rules refuse the caller of a request. */
export async function refuseRestricted(
  caller: Caller,
  { host }: Pick<RequestFacts, 'host'>,
  itemId: number,
): Promise<void> {
  const { merchantId, clientAddress: address } = caller;
  if (isEmpty(await getRules(merchantId))) return;
  const { dateOfBirth } = await getAccountRow(caller.accountId);
  const { refusedBy } = await checkRestrictions({ merchantId, dateOfBirth, host, address }, itemId);
  if (refusedBy !== undefined) throw restricted(refusedBy, itemId);
}

/** Throws `item_restricted` where an item's domains or countries refuse a visitor of whom no account is known. */
export async function refuseUnseen(
  visitor: Pick<Visitor, 'merchantId' | 'host' | 'address'>,
  itemId: number,
): Promise<void> {
  const { outcomes } = await checkRestrictions({ ...visitor, dateOfBirth: null }, itemId);
  const refusal = outcomes.find(({ kind, outcome }) => outcome === 'refused' && kind !== 'age');
  if (refusal) throw new AppError('item_restricted', { id: itemId, errors: { [refusal.kind]: texts[refusal.kind] } });
}

/**
 * Throws `access_restricted` where anything forbids an item to somebody without an account: of whom no age is known, and
 * who has no session in which a pin could have been entered.
 */
export async function refuseStranger(
  visitor: Pick<Visitor, 'merchantId' | 'host' | 'address'>,
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

/** The answer 402 `Access restricted`, with the item's id (wire D.5) and with what refused in `errors`. */
export function restricted(by: RestrictionKind | 'pin', itemId: number): AppError {
  return new AppError('access_restricted', { id: itemId, errors: { [by]: texts[by] } });
}

/** Whether the merchant's customers enter a mailed pin code before they see an item (spec 5.7). */
export async function needsPin(merchantId: number): Promise<boolean> {
  return asksPin(await getRules(merchantId));
}

function asksPin({ ageVerification }: MerchantRules): boolean {
  return ageVerification.isEnabled && ageVerification.type === 'pin_code';
}

/** From memory; undefined: the merchant has no such set. */
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
