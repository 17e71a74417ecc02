import { call } from '../../support/client';
import { providerPath } from '../../support/companySignIn';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('404 company_provider_not_found: none is connected', async () => {
  const refused = { status: 404, body: { error: 'company_provider_not_found' } };
  expect(await call(app, 'GET', providerPath, undefined, await createMerchant(app))).toMatchObject(refused);
});

test('200: the settings, and no secret in any form', async () => {
  const merchant = await createMerchant(app);
  const fields = { issuer: 'https://login.example.org/realms/a', client_id: 'c', client_secret: 'hidden-42' };
  await call(app, 'PUT', providerPath, { ...fields, domains: 'example.org' }, merchant);
  const { status, body } = await call(app, 'GET', providerPath, undefined, merchant);
  expect([status, body]).toMatchObject([200, { issuer: fields.issuer, domains: ['example.org'], is_active: true }]);
  expect(JSON.stringify(body)).not.toMatch(/hidden|secret/);
});
