import { type z } from 'zod';
import { isStillReferred, type Transaction } from '../../adapters/postgres/connection';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { changeRules, type RuleChange } from '../rules/service';
import { applyToItem, CountrySet, CountrySetCountry, ItemCountrySet } from './model';
import { presentCountrySet } from './presenter';
import { type CountrySetBody } from './schemas';

type CountrySetInput = z.output<typeof CountrySetBody>;

/** All of them are in memory while the merchant's items are watched. */
const setsMax = 500;

/** All of the merchant's, by id. */
export async function listCountrySets({ merchantId }: Caller) {
  const sets = await CountrySet.findAll({ where: { merchantId }, include: 'countries', order: ['id'] });
  return sets.map(presentCountrySet);
}

export async function getCountrySet(caller: Caller, setId: number) {
  return presentCountrySet(await getSet(caller, setId));
}

/** A global set applies to every item that has no set of its own. */
export async function createCountrySet(caller: Caller, input: CountrySetInput) {
  const { merchantId } = caller;
  if ((await CountrySet.count({ where: { merchantId } })) >= setsMax)
    throw new AppError('invalid_input', { errors: { name: `There are ${setsMax} country sets already.` } });
  const change: RuleChange = { action: 'restriction.create_country_set', objectType: 'merchant' };
  return changeRules(caller, change, async (inTransaction) => {
    const row = { merchantId, name: input.name, type: input.type, isGlobal: input.global };
    const set = await CountrySet.create(row, { transaction: inTransaction });
    await insertCountries(inTransaction, set, input.countries);
    return presentCountrySet(await getSet(caller, set.id, inTransaction));
  });
}

export async function updateCountrySet(caller: Caller, setId: number, input: CountrySetInput) {
  return changeRules(caller, ofSet('restriction.update_country_set', setId), async (inTransaction) => {
    const set = await lockSet(caller, setId, inTransaction);
    await set.update({ name: input.name, type: input.type, isGlobal: input.global }, { transaction: inTransaction });
    await CountrySetCountry.destroy({ where: { countrySetId: set.id }, transaction: inTransaction });
    await insertCountries(inTransaction, set, input.countries);
    return presentCountrySet(await getSet(caller, setId, inTransaction));
  });
}

/** Items that it was applied to have the global sets again. A set that a fee is sold by stays: 409. */
export async function deleteCountrySet(caller: Caller, setId: number) {
  await refusingUse(() =>
    changeRules(caller, ofSet('restriction.delete_country_set', setId), async (inTransaction) => {
      const set = await lockSet(caller, setId, inTransaction);
      await set.destroy({ transaction: inTransaction });
    }),
  );
  return message('The country set has been successfully deleted');
}

/** Without its last country a whitelist lets nobody in, and a blacklist everybody. */
export async function removeCountry(caller: Caller, setId: number, country: string) {
  await changeRules(caller, ofSet('restriction.remove_country', setId), async (inTransaction) => {
    const set = await lockSet(caller, setId, inTransaction);
    const where = { countrySetId: set.id, country };
    const removed = await CountrySetCountry.destroy({ where, transaction: inTransaction });
    if (removed === 0) throw new AppError('restriction_not_found');
  });
  return message('The country has been successfully removed from the set');
}

/** Puts the set in the place of the one that the item has, if it has one. */
export async function applyCountrySet(caller: Caller, setId: number, itemId: number) {
  const { merchantId } = caller;
  await getItemRow(merchantId, itemId);
  const what: RuleChange = { action: 'restriction.apply_country_set', objectType: 'item', objectId: itemId };
  return changeRules(caller, what, async (inTransaction) => {
    const set = await lockSet(caller, setId, inTransaction);
    await applyToItem(inTransaction, { merchantId, itemId, setId: set.id });
    return presentCountrySet(await getSet(caller, setId, inTransaction));
  });
}

export async function getItemCountrySet(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const applied = await ItemCountrySet.findOne({ where: { merchantId: caller.merchantId, itemId } });
  if (!applied) throw new AppError('country_set_not_found');
  return presentCountrySet(await getSet(caller, applied.countrySetId));
}

/** The global sets apply to the item again. */
export async function removeItemCountrySet(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const what: RuleChange = { action: 'restriction.remove_country_set', objectType: 'item', objectId: itemId };
  await changeRules(caller, what, async (inTransaction) => {
    const where = { merchantId: caller.merchantId, itemId };
    const removed = await ItemCountrySet.destroy({ where, transaction: inTransaction });
    if (removed === 0) throw new AppError('country_set_not_found');
  });
  return message('The country set has been successfully removed from the item');
}

async function getSet({ merchantId }: Caller, setId: number, inTransaction?: Transaction): Promise<CountrySet> {
  const set = await CountrySet.findOne({
    where: { id: setId, merchantId },
    include: 'countries',
    ...(inTransaction && { transaction: inTransaction }),
  });
  if (!set) throw new AppError('country_set_not_found');
  return set;
}

/** Two that change one set at a time would leave the countries of both. */
async function lockSet({ merchantId }: Caller, setId: number, inTransaction: Transaction): Promise<CountrySet> {
  const where = { id: setId, merchantId };
  const set = await CountrySet.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
  if (!set) throw new AppError('country_set_not_found');
  return set;
}

async function insertCountries(inTransaction: Transaction, set: CountrySet, countries: string[]): Promise<void> {
  const { id: countrySetId, merchantId } = set;
  const rows = countries.map((country) => ({ merchantId, countrySetId, country }));
  await CountrySetCountry.bulkCreate(rows, { transaction: inTransaction });
}

function ofSet(action: RuleChange['action'], setId: number): RuleChange {
  return { action, objectType: 'country_set', objectId: setId };
}

async function refusingUse(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (isStillReferred(error)) throw new AppError('country_set_in_use');
    throw error;
  }
}
