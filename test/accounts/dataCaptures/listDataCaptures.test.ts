import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/accounts/customers/data-capture';

const capture = (merchant: Person, email: string) =>
  call(app, 'POST', path, { email, full_name: 'Ana', merchant_uuid: merchant.uuid });

test('200: the merchant’s own, newest first', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  for (const name of ['first', 'second', 'third']) await capture(merchant, `${name}@example.org`);
  await capture(other, 'else@example.org');
  const { status, body } = await call<{ total: number; collection: { email: string; company: string }[] }>(
    app,
    'GET',
    `${path}?page=1&size=2`,
    undefined,
    merchant,
  );
  expect({ status, total: body.total }).toEqual({ status: 200, total: 3 });
  expect(body.collection).toMatchObject([{ email: 'third@example.org', company: '' }, { email: 'second@example.org' }]);
});
