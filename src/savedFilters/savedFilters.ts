import { type Transaction } from '../adapters/postgres/connection';
import { transaction, violatedConstraint } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { validate } from '../kit/validate';
import { SavedFilter } from './savedFilters.model';
import { FilterName, type FilteredList, filtersOf } from './savedFilters.schemas';

export { type FilteredList };

/** Filters of lists that the people of a merchant have saved. Each person sees its own only. */

const filtersMax = 20;

type Query = Readonly<Record<string, string | undefined>>;

/** The filters of a list that a query contains. Other parameters, such as the page, are left out. */
export function filterOf(list: FilteredList, query: Query): Record<string, string> {
  const names = Object.keys(filtersOf[list].shape).filter((name) => query[name] !== undefined && query[name] !== '');
  return Object.fromEntries(names.map((name) => [name, query[name] ?? '']));
}

export function listSavedFilters({ merchantId, accountId }: Caller, list: FilteredList): Promise<SavedFilter[]> {
  return SavedFilter.findAll({ where: { merchantId, accountId, list }, order: ['id'] });
}

/** Saves a filter. The values are those of the list's own query, so a filter leads nowhere but to its list. */
export async function saveFilter(caller: Caller, list: FilteredList, sent: { name: string; query: Query }) {
  const { merchantId, accountId } = caller;
  const { name } = validate(FilterName, sent);
  const query = filterOf(list, sent.query);
  validate(filtersOf[list], query);
  if (Object.keys(query).length === 0)
    throw new AppError('invalid_input', { errors: { name: 'The list has no filter.' } });
  await transaction(async (inTransaction) => {
    const own = { accountId, list };
    if (await isAtLimit(SavedFilter, { merchantId, max: filtersMax, where: own }, inTransaction))
      throw new AppError('invalid_input', { errors: { name: `The list has ${filtersMax} saved filters.` } });
    await SavedFilter.create({ merchantId, name, query, ...own }, { transaction: inTransaction }).catch(
      refuseTakenName,
    );
  });
  return query;
}

function refuseTakenName(error: unknown): never {
  if (violatedConstraint(error) !== 'saved_filters_name') throw error;
  throw new AppError('invalid_input', { errors: { name: 'The name is in use for another saved filter.' } });
}

export async function deleteSavedFilter({ merchantId, accountId }: Caller, list: FilteredList, id: number) {
  const deleted = await SavedFilter.destroy({ where: { id, merchantId, accountId, list } });
  if (deleted === 0) throw new AppError('not_found');
}

/** Runs in the transaction that removes a member of the staff. A follower is a merchant of its own and keeps its filters. */
export async function forgetSavedFilters(
  inTransaction: Transaction,
  { merchantId }: Caller,
  { id: accountId }: { id: number },
): Promise<[]> {
  await SavedFilter.destroy({ where: { merchantId, accountId }, transaction: inTransaction });
  return [];
}
