import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const city = { name: 'city', label: 'City', type: 'input' };

async function createField(merchant: Person): Promise<number> {
  return (await call<{ id: number }>(app, 'POST', '/accounts/register-field', city, merchant)).body.id;
}

const remove = (caller: Pick<Person, 'token'> | undefined, id: number | string) =>
  call(app, 'DELETE', `/accounts/register-field/${id}`, undefined, caller);
const list = async (merchant: Person) => (await call(app, 'GET', `/accounts/register-fields/${merchant.uuid}`)).body;

test('200: the field is gone, and its name free', async () => {
  const merchant = await createMerchant(app);
  const reply = await remove(merchant, await createField(merchant));
  expect(reply).toMatchObject({ status: 200, body: { code: 200, message: 'Register field successfully deleted' } });
  expect(await list(merchant)).toMatchObject({ total: 0, collection: [] });
  expect(await createField(merchant)).toEqual(expect.any(Number));
});

test('404 register_field_not_found: unknown, gone, no number, or another merchant’s, which stays', async () => {
  const merchant = await createMerchant(app);
  const id = await createField(merchant);
  expect(await remove(await createMerchant(app), id)).toMatchObject({ status: 404 });
  expect(await list(merchant)).toMatchObject({ total: 1 });
  await remove(merchant, id);
  for (const none of [id, 2_147_483_647, 'city'])
    expect(await remove(merchant, none)).toMatchObject({ status: 404, body: { error: 'register_field_not_found' } });
});

test('403 forbidden: a consumer deletes no field', async () => {
  const merchant = await createMerchant(app);
  const id = await createField(merchant);
  expect(await remove(await createConsumer(app, merchant), id)).toMatchObject({ status: 403 });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await remove(undefined, 1)).toMatchObject({ status: 401 });
});
