import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

/** The numbers of a merchant whose tax adviser uses DATEV. */
export const datevNumbers = { consultant_number: 29098, client_number: 55003, chart: 'skr03' };

export interface DatevSettings {
  consultant_number: number | null;
  client_number: number | null;
  chart: string;
  account_length: number;
  fiscal_year_month: number;
  accounts: { account: string; number: string; own_number: string; chart_numbers: { skr03: string; skr04: string } }[];
}

export const setDatev = (app: Pick<TestApp, 'address'>, merchant: Pick<Person, 'token'>, changes: object = {}) =>
  call<DatevSettings & { errors: Record<string, string> }>(
    app,
    'PUT',
    '/reporting/books/datev',
    { ...datevNumbers, ...changes },
    merchant,
  );

/** Gives numbers to all merchants, for a request of any of them. */
export const setAllDatev = ({ pool }: Pick<TestApp, 'pool'>) =>
  pool.query(
    `INSERT INTO datev_settings (merchant_id, consultant_number, client_number, chart, account_length, fiscal_year_month,
       account_numbers)
     SELECT id, 29098, 55003, 'skr03', 4, 1, '{}' FROM accounts WHERE role = 'merchant' ON CONFLICT DO NOTHING`,
  );

export const getDatev = (app: Pick<TestApp, 'address'>, merchant: Pick<Person, 'token'>) =>
  call<DatevSettings>(app, 'GET', '/reporting/books/datev', undefined, merchant);

/** The bytes of a file, and its lines by column. */
export async function readBatch(app: Pick<TestApp, 'address'>, { token }: Pick<Person, 'token'>, query: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${app.address}/reporting/exports/datev?${query}`, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(bytes.toString());
  const lines = bytes.toString('utf8').slice(1).split('\r\n');
  if (lines.pop() !== '') throw new Error('the last line has no end');
  const [head = [], columns = [], ...rows] = lines.map(fieldsOf);
  return {
    bytes,
    disposition: answer.headers.get('content-disposition'),
    head,
    columns,
    rows: rows.map((row) => {
      if (row.length !== columns.length) throw new Error(`a row has ${row.length} columns, not ${columns.length}`);
      return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? '']));
    }),
  };
}

/** The fields of a line. A text stays in its quotation marks, so that it differs from a number. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|;)("(?:[^"]|"")*"|[^;"]*)/g)].map(([, field = '']) => field);
}
