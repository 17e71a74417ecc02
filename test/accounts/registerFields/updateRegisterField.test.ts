import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const city = { name: 'city', label: 'City', type: 'input', required: '1', default_value: 'Skopje' };

async function createField(merchant: Person, fields: Record<string, unknown> = city): Promise<number> {
  return (await call<{ id: number }>(app, 'POST', '/accounts/register-field', fields, merchant)).body.id;
}

const update = (caller: Pick<Person, 'token'> | undefined, fields: Record<string, unknown>) =>
  call(app, 'PUT', '/accounts/register-field', fields, caller);
const list = async (merchant: Person) => (await call(app, 'GET', `/accounts/register-fields/${merchant.uuid}`)).body;

test('200: what is sent changes, the rest stays', async () => {
  const merchant = await createMerchant(app);
  const id = await createField(merchant);
  const reply = await update(merchant, { id, label: 'Town', required: '0', options: { A: 'Aa' } });
  expect(reply).toMatchObject({ status: 200, body: { code: 200, id } });
  expect(await list(merchant)).toMatchObject({
    collection: [
      {
        id,
        name: 'city',
        label: 'Town',
        type: 'input',
        required: false,
        default_value: 'Skopje',
        options: { A: 'Aa' },
      },
    ],
  });
});

test('404 register_field_not_found: unknown, or another merchant’s, which stays as it was', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const id = await createField(merchant);
  for (const [caller, fieldId] of [
    [other, id],
    [merchant, 2_147_483_647],
  ] as const)
    expect(await update(caller, { id: fieldId, label: 'Mine' })).toMatchObject({
      status: 404,
      body: { error: 'register_field_not_found', message: 'Register field not found' },
    });
  expect(await list(merchant)).toMatchObject({ collection: [{ label: 'City' }] });
});

test('409 register_field_exists: the name of another field', async () => {
  const merchant = await createMerchant(app);
  await createField(merchant);
  const id = await createField(merchant, { ...city, name: 'town' });
  expect(await update(merchant, { id, name: 'city' })).toMatchObject({
    status: 409,
    body: { error: 'register_field_exists' },
  });
});

test('400 missing_parameter: the id is needed', async () => {
  expect(await update(await createMerchant(app), { label: 'Town' })).toMatchObject({ status: 400 });
});

test('422 invalid_input: a type that is none', async () => {
  const merchant = await createMerchant(app);
  const id = await createField(merchant);
  expect(await update(merchant, { id, type: 'password' })).toMatchObject({ status: 422 });
});

test('403 forbidden: a consumer changes no field', async () => {
  const merchant = await createMerchant(app);
  const id = await createField(merchant);
  expect(await update(await createConsumer(app, merchant), { id, label: 'Mine' })).toMatchObject({ status: 403 });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await update(undefined, { id: 1 })).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});
