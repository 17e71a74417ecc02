import { type Caller, type Scope } from '../../kit/auth';
import { csvLine, type CsvValue } from '../../kit/csv';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { toMajor } from '../../subscriptions/billing/money';
import { csvAnswer } from '../rows/service';
import { lists, readPart, type ListName, type ListRow } from './model';

/** What a follower needs to see a list, besides the reports. */
const neededScopes: Record<ListName, Scope> = {
  customers: 'accounts:read',
  subscriptions: 'payments:read',
  movements: 'reports:read',
  transitions: 'reports:read',
  vouchers: 'vouchers:read',
  items: 'items:read',
  accesses: 'items:read',
};

/** A whole list as a file: sent as it is read, however long it is. */
export function exportList(caller: Caller, list: ListName): Promise<Answer<string>> {
  if (!caller.scopes.includes(neededScopes[list])) throw new AppError('forbidden');
  return Promise.resolve(new Answer('', { ...csvAnswer(list), stream: streamList(caller.merchantId, list) }));
}

const perRead = 1_000;

export async function* streamList(merchantId: number, list: ListName): AsyncGenerator<string> {
  const { columns } = lists[list];
  yield csvLine(columns);
  let afterId: number | null = null;
  for (;;) {
    const rows: ListRow[] = await readPart(list, merchantId, afterId, perRead);
    yield rows.map((row) => csvLine(columns.map((column) => valueOf(list, row, column)))).join('');
    const last = rows.at(-1);
    if (rows.length < perRead || !last) return;
    afterId = last.id;
  }
}

function valueOf(list: ListName, row: ListRow, column: string): CsvValue {
  const value = row[column] ?? null;
  if (value instanceof Date) return value.toISOString();
  const amounts: readonly string[] = lists[list].amounts;
  return amounts.includes(column) ? toMajor(Number(value), String(row['currency'])) : value;
}
