import { type z } from 'zod';
import { type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { changeRules, type RuleChange } from '../rules/service';
import { GeoSet, GeoSetPlace } from './model';
import { presentGeoSet } from './presenter';
import { type GeoSetBody } from './schemas';

type GeoSetInput = z.output<typeof GeoSetBody>;

/** The global ones are in memory while the merchant's items are watched. */
const setsMax = 500;

/** All of the merchant's, by id. */
export async function listGeoSets({ merchantId }: Caller) {
  const sets = await GeoSet.findAll({ where: { merchantId }, include: 'places', order: ['id'] });
  return sets.map(presentGeoSet);
}

export async function getGeoSet(caller: Caller, setId: number) {
  return presentGeoSet(await getSet(caller, setId));
}

/** A global set applies to every item that has no country set of its own; another waits until it is made global. */
export async function createGeoSet(caller: Caller, input: GeoSetInput) {
  const { merchantId } = caller;
  if ((await GeoSet.count({ where: { merchantId } })) >= setsMax)
    throw new AppError('invalid_input', { errors: { name: `There are ${setsMax} geo sets already.` } });
  const change: RuleChange = { action: 'restriction.create_geo_set', objectType: 'merchant' };
  return changeRules(caller, change, async (inTransaction) => {
    const row = { merchantId, name: input.name, type: input.type, isGlobal: input.global };
    const set = await GeoSet.create(row, { transaction: inTransaction });
    await insertPlaces(inTransaction, set, input);
    return presentGeoSet(await getSet(caller, set.id, inTransaction));
  });
}

export async function updateGeoSet(caller: Caller, setId: number, input: GeoSetInput) {
  return changeRules(caller, ofSet('restriction.update_geo_set', setId), async (inTransaction) => {
    const set = await lockSet(caller, setId, inTransaction);
    await set.update({ name: input.name, type: input.type, isGlobal: input.global }, { transaction: inTransaction });
    await GeoSetPlace.destroy({ where: { geoSetId: set.id }, transaction: inTransaction });
    await insertPlaces(inTransaction, set, input);
    return presentGeoSet(await getSet(caller, setId, inTransaction));
  });
}

export async function deleteGeoSet(caller: Caller, setId: number) {
  await changeRules(caller, ofSet('restriction.delete_geo_set', setId), async (inTransaction) => {
    const set = await lockSet(caller, setId, inTransaction);
    await set.destroy({ transaction: inTransaction });
  });
  return message('The geo set has been successfully deleted');
}

async function getSet({ merchantId }: Caller, setId: number, inTransaction?: Transaction): Promise<GeoSet> {
  const set = await GeoSet.findOne({
    where: { id: setId, merchantId },
    include: 'places',
    ...(inTransaction && { transaction: inTransaction }),
  });
  if (!set) throw new AppError('geo_set_not_found');
  return set;
}

/** Two that change one set at a time would leave the places of both. */
async function lockSet({ merchantId }: Caller, setId: number, inTransaction: Transaction): Promise<GeoSet> {
  const where = { id: setId, merchantId };
  const set = await GeoSet.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
  if (!set) throw new AppError('geo_set_not_found');
  return set;
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

function ofSet(action: RuleChange['action'], setId: number): RuleChange {
  return { action, objectType: 'geo_set', objectId: setId };
}
