import { z } from 'zod';
import { type Transaction } from '../adapters/postgres/connection';
import { transaction, violatedConstraint } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { validate } from '../kit/validate';
import { SavedFilter } from './savedFilters.model';
import {
  type FilteredList,
  filtersOf,
  type SavedFilterBody,
  type SavedFilterQuery,
  type SavedFilterResponse,
} from './savedFilters.schemas';

export { type FilteredList };

/** Filters of lists that the people of a merchant have saved. Each person sees its own only. */

const filtersMax = 20;

type Query = Readonly<Record<string, string | undefined>>;

/** The filters of a list that a query contains. Other parameters, such as the page, are left out. */
export function filterOf(list: FilteredList, query: Query): Record<string, string> {
  const names = Object.keys(filtersOf[list].shape).filter((name) => query[name] !== undefined && query[name] !== '');
  return Object.fromEntries(names.map((name) => [name, query[name] ?? '']));
}

export async function listSavedFilters({ merchantId, accountId }: Caller, { list }: z.output<typeof SavedFilterQuery>) {
  const where = { merchantId, accountId, ...(list && { list }) };
  const rows = await SavedFilter.findAll({ where, order: ['id'] });
  const total = rows.length;
  return { total, page: 1, offset: 0, limit: total, collection: rows.map(present) };
}

function present({ id, list, name, query, createdAt }: SavedFilter): z.output<typeof SavedFilterResponse> {
  return { id, list: list as FilteredList, name, query, created_at: unixSeconds(createdAt) };
}

/** Saves a filter. The values are those of the list's own query, so a filter leads nowhere but to its list. */
export async function createSavedFilter(caller: Caller, input: z.output<typeof SavedFilterBody>) {
  const { merchantId, accountId } = caller;
  const { list, name } = input;
  refuseForeign(list, input.query);
  const query = filterOf(list, input.query);
  validate(z.object({ query: filtersOf[list] }), { query });
  if (Object.keys(query).length === 0)
    throw new AppError('invalid_input', { errors: { query: 'The list has no filter.' } });
  return transaction(async (inTransaction) => {
    const own = { accountId, list };
    if (await isAtLimit(SavedFilter, { merchantId, max: filtersMax, where: own }, inTransaction))
      throw new AppError('invalid_input', { errors: { name: `The list has ${filtersMax} saved filters.` } });
    const fields = { merchantId, name, query, ...own };
    return present(await SavedFilter.create(fields, { transaction: inTransaction }).catch(refuseTakenName));
  });
}

/** A filter that the list does not have is refused, because the list would ignore it. */
function refuseForeign(list: FilteredList, query: Query): void {
  const foreign = Object.keys(query).filter((name) => !Object.hasOwn(filtersOf[list].shape, name));
  const errors = foreign.map((name) => [`query.${name}`, `This list has no filter ${name}.`]);
  if (foreign.length > 0) throw new AppError('invalid_input', { errors: Object.fromEntries(errors) as Errors });
}

type Errors = Record<string, string>;

function refuseTakenName(error: unknown): never {
  if (violatedConstraint(error) !== 'saved_filters_name') throw error;
  throw new AppError('invalid_input', { errors: { name: 'The name is in use for another saved filter.' } });
}

export async function deleteSavedFilter({ merchantId, accountId }: Caller, id: number) {
  const deleted = await SavedFilter.destroy({ where: { id, merchantId, accountId } });
  if (deleted === 0) throw new AppError('saved_filter_not_found');
  return message('Deleted');
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
