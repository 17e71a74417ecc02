import { getDatev, setDatev } from '../../support/datev';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: without numbers of the tax adviser, with the accounts of SKR03', async () => {
  const { status, body } = await getDatev(app, await createMerchant(app));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    consultant_number: null,
    client_number: null,
    chart: 'skr03',
    account_length: 4,
    fiscal_year_month: 1,
  });
  expect(body.accounts).toHaveLength(15);
  expect(body.accounts).toContainEqual({
    account: 'bank',
    number: '1200',
    own_number: '',
    chart_numbers: { skr03: '1200', skr04: '1800' },
  });
});

test('200: the own numbers, and nothing of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await setDatev(app, merchant, { account_numbers: { bank: '1210' } });
  expect((await getDatev(app, merchant)).body.accounts).toContainEqual(
    expect.objectContaining({ account: 'bank', number: '1210', own_number: '1210' }),
  );
  expect((await getDatev(app, other)).body.consultant_number).toBeNull();
});
