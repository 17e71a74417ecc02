import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const country = { name: 'country', label: 'Country', type: 'country', required: '1', placeholder: 'Choose' };
const create = (merchant: Person, fields: Record<string, unknown> = country) =>
  call<{ id: number }>(app, 'POST', '/accounts/register-field', fields, merchant);
const list = (merchant: Person) => call(app, 'GET', `/accounts/register-fields/${merchant.uuid}`);

test('200: a field is made, and anyone may read it', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await create(merchant, { ...country, options: { MK: 'North Macedonia', DE: 'Germany' } });
  expect({ status, body }).toMatchObject({ status: 200, body: { code: 200, id: expect.any(Number) as number } });
  expect((await list(merchant)).body).toMatchObject({
    total: 1,
    collection: [
      {
        id: body.id,
        name: 'country',
        label: 'Country',
        type: 'country',
        required: true,
        default_value: '',
        placeholder: 'Choose',
        options: { MK: 'North Macedonia', DE: 'Germany' },
      },
    ],
  });
});

test.each([
  [[{ MK: 'North Macedonia' }, { DE: 'Germany' }]],
  [
    [
      { name: 'MK', value: 'North Macedonia' },
      { name: 'DE', value: 'Germany' },
    ],
  ],
])('200: options as a list of objects are one object: %j', async (options) => {
  const merchant = await createMerchant(app);
  await create(merchant, { ...country, options });
  expect((await list(merchant)).body).toMatchObject({
    collection: [{ options: { MK: 'North Macedonia', DE: 'Germany' } }],
  });
});

test('409 register_field_exists: a merchant has one field of a name, another merchant its own', async () => {
  const merchant = await createMerchant(app);
  await create(merchant);
  expect(await create(merchant)).toMatchObject({ status: 409, body: { error: 'register_field_exists' } });
  expect(await create(await createMerchant(app))).toMatchObject({ status: 200 });
});

test('400 missing_parameter: name, label and type are needed', async () => {
  const reply = await create(await createMerchant(app), { required: 1 });
  expect(reply).toMatchObject({
    status: 400,
    body: {
      errors: {
        name: 'The name must not be empty.',
        label: 'The label must not be empty.',
        type: 'The type must not be empty.',
      },
    },
  });
});

test.each([
  ['type', { type: 'password' }],
  ['name', { name: 'first name' }],
  ['name', { name: 'constructor' }],
  ['name', { name: 'a'.repeat(65) }],
  ['required', { required: 'perhaps' }],
  ['options', { options: 'MK' }],
])('422 invalid_input: %s, as in %j', async (field, change) => {
  const merchant = await createMerchant(app);
  const reply = await create(merchant, { ...country, ...change });
  expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  expect(Object.keys((reply.body as unknown as { errors: object }).errors)[0]).toMatch(new RegExp(`^${field}`));
  expect((await list(merchant)).body).toMatchObject({ total: 0 });
});

test('422 invalid_input: a merchant has at most 50 fields, also after concurrent requests', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO register_fields (merchant_id, name, label, type, is_required)
     SELECT $1, 'f' || n, 'F', 'text', false FROM generate_series(1, 49) AS n`,
    [merchant.id],
  );
  const replies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(merchant, { ...country, name })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  expect(await create(merchant)).toMatchObject({
    status: 422,
    body: { errors: { name: 'There are 50 register fields already.' } },
  });
});

test('403 forbidden: a consumer makes no field', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await create(consumer)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await call(app, 'POST', '/accounts/register-field', country)).toMatchObject({ status: 401 });
});
