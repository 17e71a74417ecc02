import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { receives } from '../../support/mailbox';
import { addPasskey, ageSessions, deletePasskey, listPasskeys } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the owner removes a passkey, and gets a mail', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  expect((await deletePasskey(app, merchant, id)).status).toBe(200);
  expect(await listPasskeys(app, merchant)).toEqual([]);
  expect((await receives(app, merchant, merchant.email, 'passkey_removed')).text).toContain('Telephone');
});

test('404 passkey_not_found: a passkey of another account', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, await createConsumer(app, merchant));
  expect((await deletePasskey(app, merchant, id)).status).toBe(404);
});

test('400 missing_parameter: an old session removes no passkey without the password', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  await ageSessions(app, merchant, '11 minutes');
  expect((await deletePasskey(app, merchant, id)).status).toBe(400);
  expect((await deletePasskey(app, merchant, id, { password })).status).toBe(200);
});

test('422 wrong_password, and 429 after five: an old session with another password', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  await ageSessions(app, merchant, '11 minutes');
  const statuses = await guessSevenTimes(app, (count) =>
    deletePasskey(app, merchant, id, { password: `wrong-${count}-horse` }),
  );
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
});

test('429 too_many_requests: the right password has to wait after wrong ones, too', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  await ageSessions(app, merchant, '11 minutes');
  await guessSevenTimes(app, (count) => deletePasskey(app, merchant, id, { password: `wrong-${count}-horse` }));
  expect((await deletePasskey(app, merchant, id, { password })).status).toBe(429);
});

test('200: a merchant removes the passkeys of a customer who has lost the device', async () => {
  const merchant = await createMerchant(app);
  const customer = await createConsumer(app, merchant);
  await addPasskey(app, customer);
  const at = `/v2/accounts/customers/${customer.id}/second-factor`;
  expect((await call(app, 'DELETE', at, undefined, merchant)).status).toBe(200);
  expect(await listPasskeys(app, customer)).toEqual([]);
  expect((await call(app, 'DELETE', at, undefined, merchant)).status).toBe(404);
});
