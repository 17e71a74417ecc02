import { call, type Method, type Reply } from './client';
import { createItem, createShop, type Person, type Shop } from './factories';
import { grant } from './grant';
import { startApp, type TestApp } from './startApp';

/** Addresses whose country the packaged database knows. */
export const addresses = { macedonia: '62.162.0.1', america: '8.8.8.8', unknown: '10.0.0.1' };

/** An API behind a proxy that it trusts: a test says in `see` where its visitor is. */
export const startBehindProxy = (environment: Record<string, string> = {}) =>
  startApp({ TRUSTED_PROXIES: 'loopback', ...environment });

/** A merchant with an item that its consumer has access to, as long as no rule forbids it. */
export async function createOpenShop(app: TestApp, born?: string): Promise<Shop> {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 day' });
  if (born !== undefined) await bornOn(app, shop.consumer, born);
  return shop;
}

/** Another item that the consumer of a shop has access to. */
export async function createOpenItem(app: TestApp, shop: Shop): Promise<Shop> {
  const item = await createItem(app, shop.merchant);
  await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 day' });
  return { ...shop, item };
}

/** This replica knows the rule at once, as if it had made the change. Other replicas are notified. */
export async function bornOn(app: TestApp, person: Pick<Person, 'id'>, day: string | null): Promise<void> {
  const { forgetAccount } = await import('../../src/accounts/tokens/callers.js');
  await app.pool.query('UPDATE accounts SET date_of_birth = $2 WHERE id = $1', [person.id, day]);
  forgetAccount(person.id);
}

/** The date of birth of a person of this age, whose birthday was yesterday. */
export function yearsAgo(years: number): string {
  const today = new Date();
  return new Date(Date.UTC(today.getUTCFullYear() - years, today.getUTCMonth(), today.getUTCDate() - 1))
    .toISOString()
    .slice(0, 10);
}

interface Seen {
  code?: number;
  error?: string;
  errors?: Record<string, string>;
}

/** What refuses the consumer the item (`domain`, `geo`, `age`, `pin`), or nothing. */
export async function refusalOf(
  app: TestApp,
  shop: Shop,
  from: { address?: string; origin?: string; referer?: string; site?: string } = {},
): Promise<string | undefined> {
  const { address, origin, referer, site } = from;
  const headers = {
    ...(address !== undefined && { 'X-Forwarded-For': address }),
    ...(origin !== undefined && { Origin: origin }),
    ...(referer !== undefined && { Referer: referer }),
    ...(site !== undefined && { 'Sec-Fetch-Site': site }),
  };
  const { token } = shop.consumer;
  const path = `/items/${shop.item.id}/access`;
  const { status, body } = await call<Seen>(app, 'GET', path, undefined, { token, headers });
  if (status === 200) return undefined;
  if (status !== 402 || body.error !== 'access_restricted') throw new Error(JSON.stringify(body));
  return Object.keys(body.errors ?? {}).join();
}

/** A request by the merchant of a shop. */
export function manage<Body = Record<string, never>>(
  app: TestApp,
  { merchant }: Pick<Shop, 'merchant'>,
  method: Method,
  path: string,
  fields?: Record<string, unknown>,
): Promise<Reply<Body>> {
  return call<Body>(app, method, `/restrictions/${path}`, fields, merchant);
}

export interface DomainRow {
  id: number;
  merchant_id: number;
  item_id: number | null;
  type: string;
  domain: string;
}

/** The domains of an item's list, as `type domain`. */
export async function domainsOf(app: TestApp, shop: Shop): Promise<string[]> {
  const { status, body } = await manage<{ domains: DomainRow[] }>(app, shop, 'GET', `domain/item/${shop.item.id}`);
  return status === 404 ? [] : body.domains.map(({ type, domain }) => `${type} ${domain}`);
}

export interface CountrySet {
  id: number;
  countries: { country: string }[];
}

export async function createCountrySet(
  app: TestApp,
  shop: Pick<Shop, 'merchant'>,
  fields: Record<string, unknown> = {},
): Promise<CountrySet> {
  const set = { name: 'Home', global: true, type: 'whitelist', countries: ['MK'], ...fields };
  const { status, body } = await manage<CountrySet>(app, shop, 'POST', 'geo/country-set', set);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
