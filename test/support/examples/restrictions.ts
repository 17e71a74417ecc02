import { type z } from 'zod';
import { type CountrySetResponse } from '../../../src/restrictionSettings/countrySets.schemas';
import { type GeoSetResponse } from '../../../src/restrictionSettings/geoSets.schemas';
import { call, type Method } from '../client';
import { createItem, type Person } from '../factories';
import { type World } from '../world';
import { type Example, type Examples } from './example';

const oneOfTwo = { 'params.type': 'whitelist or blacklist' };
const domains = [{ id: 0, domain: 'https://news.example.org' }];
const countrySet = { name: 'The Balkans', global: false, type: 'blacklist', countries: ['MK', 'AL'] };
const geoSet = {
  name: 'California and more',
  global: false,
  type: 'blacklist',
  countries: ['MK', 'US-TX'],
  regions: ['US-CA'],
  cities: [{ name: 'Paris', country: 'FR', region: 'FR-IDF' }],
};

async function createCountrySet({ app, merchant }: World): Promise<number> {
  const path = '/restrictions/geo/country-set';
  return (await call<z.output<typeof CountrySetResponse>>(app, 'POST', path, countrySet, merchant)).body.id;
}

async function createGeoSet({ app, merchant }: World): Promise<number> {
  const path = '/restrictions/geo/set';
  return (await call<z.output<typeof GeoSetResponse>>(app, 'POST', path, geoSet, merchant)).body.id;
}

/** A rule of an item that nobody buys: the shared world has no restrictions. */
async function prepare(
  world: World,
  method: Method,
  path: (itemId: number) => string,
  fields?: Record<string, unknown>,
) {
  const { id } = await createItem(world.app, world.merchant);
  await call(world.app, method, path(id), fields, world.merchant);
  return id;
}

const restrictedItem = (world: World) =>
  prepare(world, 'POST', (id) => `/restrictions/domain/whitelist/item/${id}`, { domains });

const agedItem = (world: World) => prepare(world, 'POST', (id) => `/restrictions/age/item/${id}`, { min_age: 18 });

/** In the caller's own tenant. All people of the world are old enough. */
const globalAge = async ({ app }: World, caller: Person) => {
  await call(app, 'POST', '/restrictions/age', { min_age: 1 }, caller);
};

const ofItem = (request: Example['request'], more: Partial<Example> = {}): Example => ({
  request,
  owned: { 'params.item_id': 'merchant' },
  ...more,
});
const ofSet = { 'params.country_set_id': 'merchant' } as const;

export const restrictionExamples: Examples = {
  setGlobalAge: { request: () => ({ body: { min_age: 18 } }) },
  getGlobalAge: {
    request: async (world, caller) => {
      await globalAge(world, caller);
      return {};
    },
  },
  deleteGlobalAge: {
    request: async (world, caller) => {
      await globalAge(world, caller);
      return {};
    },
    spends: true,
  },
  getItemAge: ofItem(async (world) => ({ params: { item_id: await agedItem(world) } })),
  setItemAge: ofItem(async (world) => ({ params: { item_id: await agedItem(world) }, body: { min_age: 21 } })),
  deleteItemAge: ofItem(async (world) => ({ params: { item_id: await agedItem(world) } })),
  listGlobalDomains: { request: () => ({ query: { domain: 'example.org' } }) },
  saveGlobalDomains: {
    request: () => ({ params: { type: 'blacklist' }, body: { domains } }),
    unowned: oneOfTwo,
  },
  deleteGlobalDomains: { request: () => ({}) },
  getItemDomains: ofItem(async (world) => ({
    params: { item_id: await restrictedItem(world) },
    query: { domain: 'news.example.org' },
  })),
  saveItemDomains: ofItem(
    async (world) => ({ params: { type: 'whitelist', item_id: await restrictedItem(world) }, body: { domains } }),
    { unowned: oneOfTwo },
  ),
  replaceItemDomains: ofItem(
    async (world) => ({ params: { type: 'whitelist', item_id: await restrictedItem(world) }, body: { domains } }),
    { unowned: oneOfTwo },
  ),
  deleteItemDomains: ofItem(async (world) => ({ params: { item_id: await restrictedItem(world) } })),
  listCountrySets: { request: () => ({}) },
  createCountrySet: { request: () => ({ body: countrySet }) },
  getCountrySet: {
    request: async (world) => ({ params: { country_set_id: await createCountrySet(world) } }),
    owned: ofSet,
  },
  updateCountrySet: {
    request: async (world) => ({
      params: { country_set_id: await createCountrySet(world) },
      body: { ...countrySet, countries: ['MK', 'AL', 'BA'] },
    }),
    owned: ofSet,
  },
  deleteCountrySet: {
    request: async (world) => ({ params: { country_set_id: await createCountrySet(world) } }),
    owned: ofSet,
  },
  removeCountry: {
    request: async (world) => ({ params: { country_set_id: await createCountrySet(world), country_name: 'MK' } }),
    owned: ofSet,
    unowned: { 'params.country_name': 'a code of ISO 3166' },
  },
  applyCountrySet: {
    request: async (world) => ({
      params: { country_set_id: await createCountrySet(world), item_id: await agedItem(world) },
    }),
    owned: { ...ofSet, 'params.item_id': 'merchant' },
  },
  updateItemCountrySet: {
    request: async (world) => ({
      params: { country_set_id: await createCountrySet(world), item_id: await agedItem(world) },
    }),
    owned: { ...ofSet, 'params.item_id': 'merchant' },
  },
  getItemCountrySet: ofItem(async (world) => ({ params: { item_id: await itemWithSet(world) } })),
  removeItemCountrySet: ofItem(async (world) => ({ params: { item_id: await itemWithSet(world) } })),
  listGeoSets: { request: () => ({}) },
  createGeoSet: { request: () => ({ body: geoSet }) },
  getGeoSet: {
    request: async (world) => ({ params: { set_id: await createGeoSet(world) } }),
    owned: { 'params.set_id': 'merchant' },
  },
  updateGeoSet: {
    request: async (world) => ({ params: { set_id: await createGeoSet(world) }, body: geoSet }),
    owned: { 'params.set_id': 'merchant' },
  },
  deleteGeoSet: {
    request: async (world) => ({ params: { set_id: await createGeoSet(world) } }),
    owned: { 'params.set_id': 'merchant' },
  },
  updateRestrictionSettings: {
    request: ({ merchant }) => ({
      body: { age_verification_enabled: false, age_verification_type: 'basic', merchant_uuid: merchant.uuid },
    }),
    owned: { 'body.merchant_uuid': 'merchant' },
  },
  getRestrictionSettings: {
    request: ({ merchant }) => ({ params: { merchant_uuid: merchant.uuid } }),
    unowned: { 'params.merchant_uuid': 'names the tenant, which everyone knows' },
  },
};

async function itemWithSet(world: World): Promise<number> {
  const setId = await createCountrySet(world);
  return prepare(world, 'POST', (id) => `/restrictions/geo/country-set/${setId}/item/${id}`);
}
