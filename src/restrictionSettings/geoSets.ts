import { type z } from 'zod';
import { knowsRegionsAndCities } from '../adapters/geoip';
import { type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { isRegion } from '../kit/iso3166';
import { message } from '../kit/page';
import { GeoSet, GeoSetPlace } from './geoSets.model';
import { presentGeoSet } from './geoSets.presenter';
import { type GeoSetBody } from './geoSets.schemas';
import { changeSet, columnsOf, createSet, getSet } from './sets';

type GeoSetInput = z.output<typeof GeoSetBody>;

const kind = { model: GeoSet, name: 'geo_set', places: 'places', notFound: 'geo_set_not_found' } as const;

/** Lists all sets of the merchant by id. */
export async function listGeoSets({ merchantId }: Caller) {
  const sets = await GeoSet.findAll({ where: { merchantId }, include: 'places', order: ['id'] });
  return sets.map(presentGeoSet);
}

export async function getGeoSet(caller: Caller, setId: number) {
  return presentGeoSet(await getSet(kind, caller, setId));
}

/**
 * A global set applies to every item without a country set of its own. Another set has no effect until it is made
 * global.
 */
export async function createGeoSet(caller: Caller, input: GeoSetInput) {
  refuseUndecidable(input);
  const created = await createSet(kind, caller, async (inTransaction) => {
    const row = { merchantId: caller.merchantId, ...columnsOf(input) };
    const set = await GeoSet.create(row, { transaction: inTransaction });
    await insertPlaces(inTransaction, set, input);
    return set.id;
  });
  return presentGeoSet(created);
}

export async function updateGeoSet(caller: Caller, setId: number, input: GeoSetInput) {
  refuseUndecidable(input);
  const change = { action: 'restriction.update_geo_set', object: ['geo_set', setId], setId } as const;
  return changeSet(kind, caller, change, async (set, inTransaction) => {
    await set.update(columnsOf(input), { transaction: inTransaction });
    await GeoSetPlace.destroy({ where: { geoSetId: set.id }, transaction: inTransaction });
    await insertPlaces(inTransaction, set, input);
    return presentGeoSet(await getSet(kind, caller, setId, inTransaction));
  });
}

export async function deleteGeoSet(caller: Caller, setId: number) {
  const change = { action: 'restriction.delete_geo_set', object: ['geo_set', setId], setId } as const;
  await changeSet(kind, caller, change, (set, inTransaction) => set.destroy({ transaction: inTransaction }));
  return message('The geo set has been successfully deleted');
}

/** Refuses a rule that the installation cannot decide, because it would silently allow or refuse every visitor. */
function refuseUndecidable({ countries, regions, cities }: GeoSetInput): void {
  if (knowsRegionsAndCities()) return;
  const text = 'This installation knows countries only. Its operator can add a database of cities (GEOIP_DATABASE).';
  const errors = {
    ...(countries.some(isRegion) && { countries: text }),
    ...(regions.length > 0 && { regions: text }),
    ...(cities.length > 0 && { cities: text }),
  };
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

async function insertPlaces(inTransaction: Transaction, set: GeoSet, input: GeoSetInput): Promise<void> {
  const { id: geoSetId, merchantId } = set;
  const none = { merchantId, geoSetId, country: null, region: null, city: null };
  const countries = input.countries.map((country) => ({ ...none, kind: 'country' as const, country }));
  const regions = input.regions.map((region) => ({ ...none, kind: 'region' as const, region }));
  const cities = input.cities.map(({ name, country, region = null }) => {
    return { ...none, kind: 'city' as const, city: name, country, region };
  });
  await GeoSetPlace.bulkCreate([...countries, ...regions, ...cities], { transaction: inTransaction });
}
