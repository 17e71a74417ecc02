import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addPasskey, path } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const rename = (person: Person, id: string, name: string) => call(app, 'PUT', `${path}/${id}`, { name }, person);

test('200: the owner renames a passkey', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  expect(await rename(merchant, id, 'Laptop')).toMatchObject({ status: 200, body: { id, name: 'Laptop' } });
});

test('404 passkey_not_found: a passkey of another account', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, await createConsumer(app, merchant));
  expect((await rename(merchant, id, 'Laptop')).status).toBe(404);
});

test('400 missing_parameter: an empty name, and 422 for one of 101 letters', async () => {
  const merchant = await createMerchant(app);
  const { id } = await addPasskey(app, merchant);
  expect([400, 422]).toContain((await rename(merchant, id, '')).status);
  expect((await rename(merchant, id, 'a'.repeat(100))).status).toBe(200);
  expect((await rename(merchant, id, 'a'.repeat(101))).status).not.toBe(200);
});
