import { call } from '../../support/client';
import { readBatch, setDatev } from '../../support/datev';
import { createMerchant, type Person } from '../../support/factories';
import { bookedDay } from '../../support/journal';
import { refund, refunded } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { sellInGermany } from '../../support/taxedSales';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

/** A movement of the provider, as the daily comparison stores it. */
const move = ({ id }: Person, kind: string, amount: number, { fee = 0, currency = 'EUR', at = 'now()' } = {}) =>
  app.pool.query(
    `INSERT INTO balance_transactions (merchant_id, provider, reference, kind, charge_reference, object_reference,
       amount_minor, currency, fee_minor, fee_currency, happened_at)
     VALUES ($1, 'stripe', gen_random_uuid(), $2, '', '', $3, $4, $5, $4, ${at})`,
    [id, kind, amount, currency, fee],
  );

const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
const cents = (amount: string | undefined) => Math.round(Number(amount?.replace(',', '.')) * 100);

/** This day and the next one are in one fiscal year, whatever the date of the test is. */
const inOneYear = `${new Date().getUTCFullYear() + 1}-03-10T12:00:00Z`;

/** A sale with tax whose first day has passed, a refund with a credit note, a fee and a payout, on two days. */
async function createBooks(changes: object = {}) {
  const { shop, token } = await sellInGermany(app, inOneYear);
  await setDatev(app, shop.merchant, changes);
  await passDays(app, shop.merchant, 1);
  await refund(app, shop.merchant, token, { amount: '1.50' });
  await refunded(app, token);
  await move(shop.merchant, 'fee', 41, { fee: 41, at: 'merchant_now($1)' });
  await move(shop.merchant, 'payout', 1000, { at: 'merchant_now($1)' });
  const from = await bookedDay(app.pool, shop.merchant.id);
  return { merchant: shop.merchant, token, from, to: dayAfter(from) };
}

interface Line {
  account: string;
  debit: number;
  credit: number;
}

/** The debits and credits by account number: of the file, and of the trial balance of the same days. */
async function sumsOf(merchant: Person, query: string) {
  const { rows } = await readBatch(app, merchant, query);
  const file = new Map<string, [number, number]>();
  const add = (sums: typeof file, number: string, debit: number, credit: number) => {
    const [before, more] = sums.get(number) ?? [0, 0];
    sums.set(number, [before + debit, more + credit]);
  };
  for (const row of rows) {
    add(file, row['Konto'] ?? '', cents(row['Umsatz (ohne Soll/Haben-Kz)']), 0);
    add(file, row['Gegenkonto (ohne BU-Schlüssel)'] ?? '', 0, cents(row['Umsatz (ohne Soll/Haben-Kz)']));
  }
  const get = <T>(path: string) => call<T>(app, 'GET', path, undefined, merchant).then(({ body }) => body);
  const { accounts } = await get<{ accounts: { account: string; number: string }[] }>('/reporting/books/datev');
  const { collection } = await get<{ collection: Line[] }>(`/reporting/books/trial-balance?${query}&currency=EUR`);
  const books: typeof file = new Map();
  for (const { account, debit, credit } of collection) {
    const number = accounts.find((one) => one.account === account)?.number ?? '';
    if (debit + credit > 0) add(books, number, Math.round(debit * 100), Math.round(credit * 100));
  }
  const sorted = (sums: typeof file) => [...sums].sort(([one], [other]) => one.localeCompare(other));
  return { file: sorted(file), books: sorted(books) };
}

test('200: a posting batch of version 700 in UTF-8 with its mark, named after its days', async () => {
  const { merchant, from, to } = await createBooks();
  const { bytes, disposition, head, columns } = await readBatch(app, merchant, `from=${from}&to=${to}`);
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  expect(disposition).toBe(`attachment; filename="EXTF_Buchungsstapel_${from}_${to}.csv"`);
  const days = [from, to].map((day) => day.replaceAll('-', ''));
  expect(head).toHaveLength(31);
  expect(head[5]).toMatch(/^20\d{15}$/);
  expect(head.toSpliced(5, 1)).toEqual([
    ...['"EXTF"', '700', '21', '"Buchungsstapel"', '13', '', '""', '""', '""', '29098', '55003'],
    ...[`${from.slice(0, 4)}0101`, '4', ...days, `"${from} ${to}"`, '""', '1', '0', '0', '"EUR"'],
    ...['', '""', '', '', '"03"', '', '', '""', '""'],
  ]);
  expect(columns).toHaveLength(125);
  expect([columns[0], columns[9], columns[13], columns[113], columns.at(-1)]).toEqual([
    'Umsatz (ohne Soll/Haben-Kz)',
    'Belegdatum',
    'Buchungstext',
    'Festschreibung',
    'Abw. Skontokonto',
  ]);
});

test('200: each entry is a row with its day, its document and its accounts', async () => {
  const { merchant, token, from, to } = await createBooks();
  const { rows } = await readBatch(app, merchant, `from=${from}&to=${to}`);
  const day = (text: string) => `${text.slice(8)}${text.slice(5, 7)}`;
  const row = (amount: string, debit: string, credit: string, at: string, document: string, words: string) => ({
    'Umsatz (ohne Soll/Haben-Kz)': amount,
    'Soll/Haben-Kennzeichen': '"S"',
    'WKZ Umsatz': '"EUR"',
    Kurs: '',
    Konto: debit,
    'Gegenkonto (ohne BU-Schlüssel)': credit,
    Belegdatum: day(at),
    'Belegfeld 1': document,
    Buchungstext: words,
  });
  const year = from.slice(0, 4);
  const [invoice, note] = [`"TEST-${year}-000001"`, `"TEST-${year}-000002"`];
  const refunds = expect.stringMatching(/^"Erstattung /) as string;
  const expected = [
    row('3,78', '1360', '0990', from, invoice, `"Zahlung ${token}"`),
    row('0,72', '1360', '1770', from, invoice, `"Zahlung ${token}"`),
    row('1,89', '0990', '8200', from, '', `"Erlös day:${from}"`),
    row('0,24', '1770', '1360', to, note, refunds),
    row('0,63', '8700', '1360', to, note, refunds),
    row('0,63', '0990', '1360', to, note, refunds),
  ];
  for (const one of expected) expect(rows).toContainEqual(expect.objectContaining(one));
  const others = rows.filter((one) => one['Gegenkonto (ohne BU-Schlüssel)'] === '1360' && one['Belegfeld 1'] === '');
  expect(others.map((one) => [one['Umsatz (ohne Soll/Haben-Kz)'], one['Konto'], one['Buchungstext']])).toEqual([
    ['0,41', '4970', expect.stringMatching(/^"Gebühr balance_transaction:\d+"$/)],
    ['10,00', '1200', expect.stringMatching(/^"Auszahlung balance_transaction:\d+"$/)],
  ]);
  expect(rows).toHaveLength(8);
});

test.each([
  ['SKR03', {}],
  [
    'SKR04 with six digits and an own account',
    { chart: 'skr04', account_length: 6, account_numbers: { bank: '181000' } },
  ],
])('200: the sums of each account are those of the trial balance of the same days: %s', async (_name, changes) => {
  const { merchant, from, to } = await createBooks(changes);
  for (const query of [`from=${from}&to=${to}`, `from=${from}&to=${from}`, `from=${to}&to=${to}`]) {
    const { file, books } = await sumsOf(merchant, query);
    expect(file.length).toBeGreaterThan(1);
    expect(file).toEqual(books);
  }
});

test('200: an entry between two accounts of one number moves nothing and is left out', async () => {
  const { merchant, from, to } = await createBooks({ account_numbers: { bank: '1360' } });
  const { rows } = await readBatch(app, merchant, `from=${from}&to=${to}`);
  expect(rows).toHaveLength(7);
  expect(rows.filter((row) => row['Konto'] === row['Gegenkonto (ohne BU-Schlüssel)'])).toEqual([]);
});

test('200: one currency, with two decimals, and nothing of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await setDatev(app, merchant);
  await setDatev(app, other);
  const at = `'2026-03-10T12:00Z'`;
  await move(merchant, 'payout', 1000, { at });
  await move(merchant, 'payout', 1000, { at, currency: 'JPY' });
  const read = async (person: Person, more = '') =>
    (await readBatch(app, person, `from=2026-03-01&to=2026-03-31${more}`)).rows.map((row) => [
      row['Umsatz (ohne Soll/Haben-Kz)'],
      row['WKZ Umsatz'],
    ]);
  expect(await read(merchant)).toEqual([['10,00', '"EUR"']]);
  expect(await read(merchant, '&currency=jpy')).toEqual([['1000,00', '"JPY"']]);
  expect(await read(merchant, '&currency=USD')).toEqual([]);
  expect(await read(other)).toEqual([]);
});

test('200: a fiscal year can begin in another month', async () => {
  const merchant = await createMerchant(app);
  await setDatev(app, merchant, { fiscal_year_month: 7 });
  expect((await readBatch(app, merchant, 'from=2025-12-01&to=2026-01-31')).head[12]).toBe('20250701');
  expect((await readBatch(app, merchant, 'from=2026-07-01&to=2026-07-31')).head[12]).toBe('20260701');
});

const refuse = (query: string, { token }: Pick<Person, 'token'>) =>
  call<{ errors: Record<string, string> }>(app, 'GET', `/reporting/exports/datev${query}`, undefined, { token });

test.each([
  ['?from=2025-12-31&to=2026-01-01', 'to', 'must be in the fiscal year of the from, which begins on 2025-01-01'],
  ['?from=2026-02-02&to=2026-02-01', 'to', 'must not be before the from'],
  ['?from=2026-02-30&to=2026-03-01', 'from', 'must be Unix seconds or an ISO 8601 date'],
  ['?from=2026-02-01&to=2026-02-02&currency=XXQ', 'currency', 'must be a code of ISO 4217'],
  ['?from=2026-02-01&to=2026-02-02&currency=KWD', 'currency', 'must have at most two decimals'],
])('422 invalid_input: %s', async (query, field, rule) => {
  const merchant = await createMerchant(app);
  await setDatev(app, merchant);
  const { status, body } = await refuse(query, merchant);
  expect([status, body.errors]).toEqual([422, { [field]: expect.stringContaining(rule) as string }]);
});

test('422 invalid_input: the numbers of the tax adviser are not set', async () => {
  const { status, body } = await refuse('?from=2026-01-01&to=2026-01-31', await createMerchant(app));
  expect([status, Object.keys(body.errors)]).toEqual([422, ['consultant_number']]);
});

test('400 missing_parameter: the days', async () => {
  const { status, body } = await refuse('', await createMerchant(app));
  expect([status, Object.keys(body.errors)]).toEqual([400, ['from', 'to']]);
});

/** Fees of one day. */
async function bookFees(merchant: Person, fees: number): Promise<void> {
  await app.pool.query(
    `INSERT INTO journal_entries (merchant_id, day, kind, about, currency, debit_account, credit_account, amount_minor)
     SELECT $1, '2026-03-01', 'fee', 'fee:' || n, 'EUR', 'provider_fees', 'payment_provider', 1
     FROM generate_series(1, $2::int) n`,
    [merchant.id, fees],
  );
}

test('200: a file of several parts has each entry once', async () => {
  const merchant = await createMerchant(app);
  await setDatev(app, merchant);
  await bookFees(merchant, 2_001);
  const { rows } = await readBatch(app, merchant, 'from=2026-03-01&to=2026-03-31');
  expect(rows).toHaveLength(2_001);
  expect(new Set(rows.map((row) => row['Buchungstext'])).size).toBe(2_001);
});

test('422 invalid_input: more rows than a posting batch can have', async () => {
  const merchant = await createMerchant(app);
  await setDatev(app, merchant);
  await bookFees(merchant, 100_000);
  const { status, body } = await refuse('?from=2026-03-01&to=2026-03-31', merchant);
  expect([status, body.errors['to']]).toEqual([422, expect.stringContaining('takes 99999 rows') as string]);
});
