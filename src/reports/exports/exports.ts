import { requireFeature } from '../../features/features';
import { type Caller, mayCall } from '../../kit/auth';
import { csvHead, csvLine, type CsvValue } from '../../kit/csv';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { csvAnswer } from '../rows';
import { catalogueLists, voucherLists } from './catalogue';
import { type ExportFilter, type List, type ListName } from './lists';
import { reportLists } from './reports';
import { accountLists, salesLists } from './sales';
import { restrictionLists, setupLists, staffLists } from './setup';

export { type ListName };

/** The lists that can be exported, each with the filters of its paged list. */
const lists: Record<ListName, List> = {
  ...salesLists,
  ...accountLists,
  ...catalogueLists,
  ...voucherLists,
  ...restrictionLists,
  ...setupLists,
  ...staffLists,
  ...reportLists,
};

/** Exports a list as a file. It is streamed while it is read. */
export async function exportList(caller: Caller, name: ListName, filter: ExportFilter): Promise<Answer<string>> {
  const list = lists[name];
  if (!mayCall(list.auth, caller)) throw new AppError('forbidden');
  if (list.feature) await requireFeature(caller.merchantId, list.feature);
  requireFilters(list, filter);
  refuseForeignFilters(list, filter);
  const parts = await list.read(caller, filter);
  return new Answer('', { ...csvAnswer(name), stream: streamList(list, parts) });
}

/** A list of one object, such as a customer's timeline, requires the object's id. */
function requireFilters({ needs = [] }: List, filter: ExportFilter): void {
  const absent = needs.filter((name) => filter[name] === undefined);
  if (absent.length === 0) return;
  const errors = Object.fromEntries(absent.map((name) => [name, `The ${name} must not be empty.`]));
  throw new AppError('missing_parameter', { errors });
}

/** An ignored filter would export rows that were not requested, so an unknown one is refused. */
function refuseForeignFilters({ filters, searchKeys = [], sorts }: List, filter: ExportFilter): void {
  const names = Object.keys(filter) as (keyof ExportFilter)[];
  const known = [...filters, ...(sorts ? ['sort', 'order'] : [])];
  const foreign = names.filter((name) => filter[name] !== undefined && !known.includes(name));
  const errors = Object.fromEntries(foreign.map((name) => [name, `This list has no filter ${name}.`]));
  if (sorts && filter.sort !== undefined && !sorts.includes(filter.sort))
    errors['sort'] = `The sort must be one of ${sorts.join(', ')}.`;
  const hasForeignKey = filter.search?.some((term) => !searchKeys.includes(term.slice(0, term.indexOf(':'))));
  if (hasForeignKey) errors['search'] ??= `The search must be key:value, the key one of ${searchKeys.join(', ')}.`;
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

async function* streamList({ columns: text }: List, parts: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  const columns = text.split(/\s+/).map((column) => column.split('='));
  yield csvHead(columns.map(([title = '']) => title));
  for await (const rows of parts)
    yield rows.map((row) => csvLine(columns.map(([title = '', field = title]) => valueOf(row, title, field)))).join('');
}

/**
 * A number in a column named `…_at` or `…_end` is a time in Unix seconds; 0 is empty. A list is joined into one value.
 */
function valueOf(row: object, title: string, field: string): CsvValue {
  const value = (row as Record<string, CsvValue | Date | readonly string[] | undefined>)[field] ?? null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) return value.join('; ');
  const isTime = title.endsWith('_at') || title.endsWith('_end');
  if (!isTime || typeof value !== 'number') return value;
  return value === 0 ? null : new Date(value * 1000).toISOString();
}
