import { requireFeature } from '../../features/service';
import { type Caller, mayCall } from '../../kit/auth';
import { csvLine, type CsvValue } from '../../kit/csv';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { csvAnswer } from '../rows/service';
import { catalogueLists, voucherLists } from './catalogue/service';
import { type Asked, type List, type ListName } from './lists/service';
import { accountLists, salesLists } from './sales/service';
import { restrictionLists, setupLists } from './setup/service';

export { type ListName };

/** Lists as files, asked by what their pages are asked by: each is read where its page is. */
const lists: Record<ListName, List> = {
  ...salesLists,
  ...accountLists,
  ...catalogueLists,
  ...voucherLists,
  ...restrictionLists,
  ...setupLists,
};

/** A list as a file: sent as it is read, however long it is. */
export async function exportList(caller: Caller, name: ListName, asked: Asked): Promise<Answer<string>> {
  const list = lists[name];
  if (!mayCall(list.auth, caller)) throw new AppError('forbidden');
  if (list.feature) await requireFeature(caller.merchantId, list.feature);
  refuseForeignFilters(list, asked);
  const parts = await list.read(caller, asked);
  return new Answer('', { ...csvAnswer(name), stream: streamList(list, parts) });
}

/** A filter that is passed over would make a file of what nobody asked for. */
function refuseForeignFilters({ filters, needs = [], searchKeys = [] }: List, asked: Asked): void {
  const names = Object.keys(asked) as (keyof Asked)[];
  const foreign = names.filter((name) => asked[name] !== undefined && !filters.includes(name));
  const errors = Object.fromEntries(foreign.map((name) => [name, `The ${name} is no filter of this list.`]));
  for (const name of needs) if (asked[name] === undefined) errors[name] = `The ${name} must not be empty.`;
  const hasForeignKey = asked.search?.some((term) => !searchKeys.includes(term.slice(0, term.indexOf(':'))));
  if (hasForeignKey) errors['search'] ??= `The search must be key:value, the key one of ${searchKeys.join(', ')}.`;
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

async function* streamList({ columns: text }: List, parts: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  const columns = text.split(/\s+/).map((column) => column.split('='));
  yield csvLine(columns.map(([title = '']) => title));
  for await (const rows of parts)
    yield rows.map((row) => csvLine(columns.map(([title = '', field = title]) => valueOf(row, title, field)))).join('');
}

/** Times are dates, or Unix seconds in a column whose name tells so; 0 is none. Several values are listed in one. */
function valueOf(row: object, title: string, field: string): CsvValue {
  const value = (row as Record<string, CsvValue | Date | readonly string[] | undefined>)[field] ?? null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return value.join('; ');
  const isTime = title.endsWith('_at') || title.endsWith('_end');
  if (!isTime || typeof value !== 'number') return value;
  return value === 0 ? null : new Date(value * 1000).toISOString();
}
