import { createMerchant } from '../../support/factories';
import { addPasskey, startConfirmation } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the options name the passkeys of the account', async () => {
  const merchant = await createMerchant(app);
  const { authenticator } = await addPasskey(app, merchant);
  const { body } = await startConfirmation(app, merchant);
  expect(body.allowCredentials).toMatchObject([{ id: authenticator.id.toString('base64url') }]);
});

test('404 passkey_not_found: an account without a passkey', async () => {
  expect((await startConfirmation(app, await createMerchant(app))).status).toBe(404);
});
