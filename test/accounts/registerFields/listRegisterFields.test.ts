import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person, registration } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const addField = (merchant: Person, fields: Record<string, unknown>) =>
  call(app, 'POST', '/accounts/register-field', { label: 'Field', type: 'input', ...fields }, merchant);

test('200: the fields in the order in which they were made, as a page', async () => {
  const merchant = await createMerchant(app);
  for (const name of ['surname', 'first_name', 'age']) await addField(merchant, { name });
  const { status, body } = await call(app, 'GET', `/accounts/register-fields/${merchant.uuid.toUpperCase()}?rnd=1`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      total: 3,
      page: 1,
      offset: 0,
      limit: 3,
      collection: [{ name: 'surname' }, { name: 'first_name' }, { name: 'age' }],
    },
  });
});

test('200: by the id of an OAuth app, and none where the merchant asks for nothing', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO oauth_apps (merchant_id, client_id, name, grant_types) VALUES ($1, $2, 'Second', '{password}')`,
    [merchant.id, `app-${merchant.id}`],
  );
  const reply = await call(app, 'GET', `/accounts/register-fields/app-${merchant.id}`);
  expect(reply).toMatchObject({ status: 200, body: { total: 0, collection: [] } });
});

test('404 account_not_found: no such merchant, or a consumer’s uuid', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  for (const uuid of [randomUUID(), consumer.uuid, 'nobody', 'a'.repeat(200)])
    expect(await call(app, 'GET', `/accounts/register-fields/${uuid}`)).toMatchObject({
      status: 404,
      body: { error: 'account_not_found' },
    });
});

describe('registration with register fields', () => {
  const register = (merchant: Person, metadata: Record<string, unknown>) =>
    call<{ account: { completed: boolean; metadata: object }; access_token: string }>(app, 'POST', '/accounts', {
      ...registration('consumer', merchant.uuid),
      metadata,
    });

  test('200: what is sent is checked, the client’s own keys are not', async () => {
    const merchant = await createMerchant(app);
    await addField(merchant, { name: 'country', type: 'select', options: { MK: 'North Macedonia' } });
    const { status, body } = await register(merchant, { country: 'MK', consents: '[]' });
    expect(status).toBe(200);
    expect(body.account.metadata).toEqual({ country: 'MK', consents: '[]' });
  });

  test('422 invalid_input: a value that is no option, or a required one sent empty, registers nobody', async () => {
    const merchant = await createMerchant(app);
    await addField(merchant, { name: 'country', type: 'select', options: { MK: 'North Macedonia', DE: 'Germany' } });
    await addField(merchant, { name: 'city', required: 1 });
    const reply = await register(merchant, { country: 'toString', city: '' });
    expect(reply).toMatchObject({
      status: 422,
      body: {
        errors: {
          'metadata.country': 'The country must be one of MK, DE.',
          'metadata.city': 'The city must not be empty.',
        },
      },
    });
    const { rows } = await app.pool.query('SELECT FROM accounts WHERE merchant_id = $1', [merchant.id]);
    expect(rows).toHaveLength(1);
  });

  test('200: an account is completed when it is activated and has what is required; a blank is not enough', async () => {
    const merchant = await createMerchant(app);
    await addField(merchant, { name: 'first_name', required: 1 });
    const fields = { ...registration('consumer', merchant.uuid), metadata: { first_name: ' ' } };
    const { body } = await call<{ account: { completed: boolean }; access_token: string }>(
      app,
      'POST',
      '/accounts',
      fields,
    );
    const token = tokenIn(await receives(app, merchant, fields.username, 'activation'));
    await call(app, 'PUT', `/accounts/activate/${token}`, undefined, { token: body.access_token });
    const caller = { token: body.access_token };
    expect((await call(app, 'GET', '/v2/accounts', undefined, caller)).body).toMatchObject({ completed: false });
    const change = { full_name: 'Ana', metadata: { first_name: 'Ana' } };
    expect((await call(app, 'PUT', '/accounts', change, caller)).body).toMatchObject({ completed: true });
    await addField(merchant, { name: 'city', required: 1 });
    expect((await call(app, 'GET', '/accounts', undefined, caller)).body).toMatchObject({ completed: false });
  });
});
