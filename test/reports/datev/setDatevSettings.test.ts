import { call } from '../../support/client';
import { datevNumbers, getDatev, setDatev } from '../../support/datev';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const numberIn = ({ accounts }: { accounts: { account: string; number: string }[] }, account: string) =>
  accounts.find((one) => one.account === account)?.number;

test('200: the numbers are replaced as a whole, and the audit log has the change', async () => {
  const merchant = await createMerchant(app);
  const own = {
    account_length: 6,
    fiscal_year_month: 7,
    account_numbers: { bank: '181000', payment_provider: '7000012' },
  };
  const { status, body } = await setDatev(app, merchant, { chart: 'skr04', ...own });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ...datevNumbers, chart: 'skr04', account_length: 6, fiscal_year_month: 7 });
  expect(['bank', 'payment_provider', 'revenue', 'deferred_revenue'].map((account) => numberIn(body, account))).toEqual(
    ['181000', '7000012', '420000', '390000'],
  );
  const again = (await setDatev(app, merchant)).body;
  expect([numberIn(again, 'bank'), again.account_length, again.fiscal_year_month]).toEqual(['1200', 4, 1]);
  expect((await getDatev(app, merchant)).body).toEqual(again);
  const { body: log } = await call<{ collection: { action: string; object_id: string }[] }>(
    app,
    'GET',
    '/audit?action=books.datev',
    undefined,
    merchant,
  );
  expect(log.collection.map(({ object_id }) => object_id)).toEqual([String(merchant.id), String(merchant.id)]);
});

test.each([
  [{ consultant_number: 1000 }, 'consultant_number', 'must be from 1001 to 9999999'],
  [{ client_number: 100_000 }, 'client_number', 'must be from 1 to 99999'],
  [{ chart: 'skr49' }, 'chart', 'must be one of skr03, skr04'],
  [{ account_length: 3 }, 'account_length', 'must be from 4 to 8'],
  [{ fiscal_year_month: 13 }, 'fiscal_year_month', 'must be from 1 to 12'],
  [{ account_numbers: { bank: '12a0' } }, 'account_numbers.bank', 'must be digits'],
  [{ account_numbers: { bank: '990' } }, 'account_numbers.bank', 'must have 4 digits, or 5 for the account'],
  [{ account_numbers: { bank: '123456' } }, 'account_numbers.bank', 'must have 4 digits, or 5 for the account'],
])('422 invalid_input: %j names the field, and nothing is changed', async (changes, field, rule) => {
  const merchant = await createMerchant(app);
  const { status, body } = await setDatev(app, merchant, changes);
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  expect(body.errors[field]).toContain(`The ${field} ${rule}`);
  expect((await getDatev(app, merchant)).body.consultant_number).toBeNull();
});

test('400 missing_parameter: the numbers of the tax adviser and the chart are needed', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await call<{ errors: object }>(app, 'PUT', '/reporting/books/datev', {}, merchant);
  expect([status, Object.keys(body.errors)]).toEqual([400, ['consultant_number', 'client_number', 'chart']]);
});
