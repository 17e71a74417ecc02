import { call } from '../../support/client';
import { accounts, createMandate, offerDebits, subscribeByDebit } from '../../support/debits';
import { createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const text = expect.any(String) as string;

test('200: the facts of the mandate, in the shape that existing clients read', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  const before = Math.floor(Date.now() / 1000);
  const { status, body } = await createMandate(app, shop, 'DE89 3704 0044 0532 0130 00');
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(Number) as number,
    currency: 'eur',
    created: expect.any(Number) as number,
    client_secret: '',
    owner: 'Ana Petrova',
    full_name: 'Ana Petrova',
    statement_descriptor: '',
    status: 'chargeable',
    type_data: {
      bank_code: '',
      branch_code: '',
      country: 'DE',
      fingerprint: text,
      last4: '3000',
      mandate_reference: expect.stringMatching(/^SB[0-9A-F]{12}$/) as string,
      mandate_url: '',
    },
  });
  expect(body['created']).toBeGreaterThanOrEqual(before - 5);
});

test('200: the IBAN is stored nowhere', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  await createMandate(app, shop, accounts.paid);
  const { rows: tables } = await app.pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const { rows } = await app.pool.query(`SELECT FROM ${name} t WHERE t::text ~ '370400440532013000' LIMIT 1`);
    expect([name, rows.length]).toEqual([name, 0]);
  }
});

test('422 payment_method_not_offered: the merchant has not enabled direct debits', async () => {
  const reply = await createMandate(app, await createShop(app), accounts.paid);
  expect(reply).toMatchObject({ status: 422, body: { code: 422, error: 'payment_method_not_offered' } });
});

test('422 payment_method_not_offered: the merchant has turned direct debits off again', async () => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  await createMandate(app, shop, accounts.paid);
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card'] }, shop.merchant);
  const refused = { status: 422, body: { error: 'payment_method_not_offered' } };
  expect(await createMandate(app, shop, accounts.paid)).toMatchObject(refused);
  expect(await subscribeByDebit(app, shop)).toMatchObject(refused);
});

test.each([
  ['a wrong check digit', 'DE88370400440532013000'],
  ['a country outside SEPA', 'TR330006100519786457841326'],
  ['a number that is too short', 'DE8937040044053201300'],
  ['an account that is no test account', 'NL91ABNA0417164300'],
])('422 invalid_input: %s', async (_, iban) => {
  const shop = await createShop(app);
  await offerDebits(app, shop);
  const reply = await createMandate(app, shop, iban);
  expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input', errors: { iban: text } } });
  expect(JSON.stringify(reply.body)).not.toContain(iban);
});
