import { type z } from 'zod';
import { isStillReferred, type Transaction } from '../adapters/postgres/connection';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { changeRules } from '../restrictions/rules';
import { applyToItem, CountrySet, CountrySetCountry, ItemCountrySet } from './countrySets.model';
import { presentCountrySet } from './countrySets.presenter';
import { type CountrySetBody } from './countrySets.schemas';
import { changeSet, columnsOf, createSet, getSet } from './sets';

type CountrySetInput = z.output<typeof CountrySetBody>;

const kind = {
  model: CountrySet,
  name: 'country_set',
  places: 'countries',
  notFound: 'country_set_not_found',
} as const;

/** All sets of the merchant, by id. */
export async function listCountrySets({ merchantId }: Caller) {
  const sets = await CountrySet.findAll({ where: { merchantId }, include: 'countries', order: ['id'] });
  return sets.map(presentCountrySet);
}

export async function getCountrySet(caller: Caller, setId: number) {
  return presentCountrySet(await getSet(kind, caller, setId));
}

/** A global set applies to every item that has no set of its own. */
export async function createCountrySet(caller: Caller, input: CountrySetInput) {
  const created = await createSet(kind, caller, async (inTransaction) => {
    const row = { merchantId: caller.merchantId, ...columnsOf(input) };
    const set = await CountrySet.create(row, { transaction: inTransaction });
    await insertCountries(inTransaction, set, input.countries);
    return set.id;
  });
  return presentCountrySet(created);
}

export async function updateCountrySet(caller: Caller, setId: number, input: CountrySetInput) {
  const change = { action: 'restriction.update_country_set', object: ['country_set', setId], setId } as const;
  return changeSet(kind, caller, change, async (set, inTransaction) => {
    await set.update(columnsOf(input), { transaction: inTransaction });
    await CountrySetCountry.destroy({ where: { countrySetId: set.id }, transaction: inTransaction });
    await insertCountries(inTransaction, set, input.countries);
    return presentCountrySet(await getSet(kind, caller, setId, inTransaction));
  });
}

/** The global sets apply again to its items. A set that limits a fee cannot be deleted: 409. */
export async function deleteCountrySet(caller: Caller, setId: number) {
  const change = { action: 'restriction.delete_country_set', object: ['country_set', setId], setId } as const;
  await refusingUse(() =>
    changeSet(kind, caller, change, (set, inTransaction) => set.destroy({ transaction: inTransaction })),
  );
  return message('The country set has been successfully deleted');
}

/** Without its last country, a whitelist refuses and a blacklist allows every visitor. */
export async function removeCountry(caller: Caller, setId: number, country: string) {
  const change = { action: 'restriction.remove_country', object: ['country_set', setId], setId } as const;
  await changeSet(kind, caller, change, async (set, inTransaction) => {
    const where = { countrySetId: set.id, country };
    const removed = await CountrySetCountry.destroy({ where, transaction: inTransaction });
    if (removed === 0) throw new AppError('restriction_not_found');
  });
  return message('The country has been successfully removed from the set');
}

/** Replaces the item's set, if it has one. */
export async function applyCountrySet(caller: Caller, setId: number, itemId: number) {
  const { merchantId } = caller;
  await getItemRow(merchantId, itemId);
  const change = { action: 'restriction.apply_country_set', object: ['item', itemId], setId } as const;
  return changeSet(kind, caller, change, async (set, inTransaction) => {
    await applyToItem(inTransaction, { merchantId, itemId, setId: set.id });
    return presentCountrySet(await getSet(kind, caller, setId, inTransaction));
  });
}

export async function getItemCountrySet(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const applied = await ItemCountrySet.findOne({ where: { merchantId: caller.merchantId, itemId } });
  if (!applied) throw new AppError('country_set_not_found');
  return presentCountrySet(await getSet(kind, caller, applied.countrySetId));
}

/** The global sets apply to the item again. */
export async function removeItemCountrySet(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const change = { action: 'restriction.remove_country_set', object: ['item', itemId] } as const;
  await changeRules(caller, change, async (inTransaction) => {
    const where = { merchantId: caller.merchantId, itemId };
    const removed = await ItemCountrySet.destroy({ where, transaction: inTransaction });
    if (removed === 0) throw new AppError('country_set_not_found');
  });
  return message('The country set has been successfully removed from the item');
}

async function insertCountries(inTransaction: Transaction, set: CountrySet, countries: string[]): Promise<void> {
  const { id: countrySetId, merchantId } = set;
  const rows = countries.map((country) => ({ merchantId, countrySetId, country }));
  await CountrySetCountry.bulkCreate(rows, { transaction: inTransaction });
}

async function refusingUse(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (isStillReferred(error)) throw new AppError('country_set_in_use');
    throw error;
  }
}
