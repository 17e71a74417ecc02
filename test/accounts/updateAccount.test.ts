import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const update = (caller: Pick<Person, 'token'> | undefined, fields: Record<string, unknown>) =>
  call(app, 'PUT', '/accounts', fields, caller);
const read = async (caller: Person) => (await call(app, 'GET', '/accounts', undefined, caller)).body;

test('200: a consumer changes its own account; metadata is replaced as a whole', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await update(consumer, { full_name: 'Ana', metadata: { first_name: 'Ana', old: '1' } });
  const change = {
    full_name: 'Ana P.',
    metadata: { first_name: 'Anna', consents: '[{"name":"news"}]' },
    date_of_birth: '1999-03-05',
    referrer: 'https://shop.example.org/',
  };
  const { status, body } = await update(consumer, change);
  const expected = {
    id: consumer.id,
    uuid: consumer.uuid,
    email: consumer.email,
    full_name: 'Ana P.',
    metadata: change.metadata,
    date_of_birth: 920_592_000,
    referrer: 'https://shop.example.org/',
  };
  expect({ status, body }).toMatchObject({ status: 200, body: expected });
  expect(await read(consumer)).toMatchObject(expected);
  expect((body as unknown as { metadata: object }).metadata).toEqual(change.metadata);
});

test('200: what is not sent stays; a date of birth may be Unix seconds', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await update(consumer, { full_name: 'Ana', metadata: { city: 'Skopje' }, date_of_birth: '920592000' });
  const { body } = await update(consumer, { full_name: 'Anna' });
  expect(body).toMatchObject({ full_name: 'Anna', metadata: { city: 'Skopje' }, date_of_birth: 920_592_000 });
});

test('200: nobody changes more than that', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const before = await read(consumer);
  const sent = {
    full_name: 'Ana',
    email: 'x@example.org',
    username: 'x@example.org',
    roles: ['merchant'],
    merchant_id: 1,
  };
  await update(consumer, { ...sent, uuid: 'x', completed: true, type: 'merchant', is_active: false });
  const { updated_at } = await read(consumer);
  expect(await read(consumer)).toEqual({ ...(before as object), full_name: 'Ana', updated_at });
});

test('200: a merchant changes a customer by id, itself without, and both are in its audit log', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  expect(await update(merchant, { id: consumer.id, full_name: 'Renamed' })).toMatchObject({
    status: 200,
    body: { id: consumer.id, full_name: 'Renamed' },
  });
  expect(await update(merchant, { full_name: 'Daily News' })).toMatchObject({ status: 200, body: { id: merchant.id } });
  expect(await read(consumer)).toMatchObject({ full_name: 'Renamed' });
  expect(await read(merchant)).toMatchObject({ full_name: 'Daily News' });
  const { body } = await call(app, 'GET', '/audit', undefined, merchant);
  const entryOf = ({ id }: Person) => ({ action: 'account.update', object_id: String(id) });
  expect(body).toMatchObject({ total: 2, collection: [entryOf(merchant), entryOf(consumer)] });
});

test('200: a consumer may name its own id', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await update(consumer, { id: consumer.id, full_name: 'Ana' })).toMatchObject({ status: 200 });
});

test('404 account_not_found: another merchant’s customer, another consumer, nobody; and nothing changes', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const neighbour = await createConsumer(app, merchant);
  for (const [caller, id] of [
    [other, consumer.id],
    [other, merchant.id],
    [neighbour, consumer.id],
    [consumer, merchant.id],
    [merchant, 2_147_483_647],
  ] as const)
    expect(await update(caller, { id, full_name: 'Mallory' })).toMatchObject({
      status: 404,
      body: { error: 'account_not_found', message: 'Account not found' },
    });
  const { rows } = await app.pool.query(`SELECT FROM accounts WHERE full_name = 'Mallory'`);
  expect(rows).toEqual([]);
});

test('422 invalid_input: metadata against the register fields, and nothing is stored', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const size = { name: 'size', label: 'Size', type: 'radio', required: 1, options: { S: 'Small' } };
  await call(app, 'POST', '/accounts/register-field', size, merchant);
  expect(await update(consumer, { full_name: 'New', metadata: { size: 'XL' } })).toMatchObject({
    status: 422,
    body: { errors: { 'metadata.size': 'The size must be one of S.' } },
  });
  expect(await read(consumer)).toMatchObject({ full_name: 'Ana Petrova', metadata: {} });
});

test('422 invalid_input: a consumer can set the date of birth once; the same date again is accepted', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await update(consumer, { full_name: 'Ana', date_of_birth: '2016-03-05' })).toMatchObject({ status: 200 });
  expect(await update(consumer, { full_name: 'Ana', date_of_birth: '2016-03-05' })).toMatchObject({ status: 200 });
  expect(await update(consumer, { full_name: 'Older', date_of_birth: '1990-03-05' })).toMatchObject({
    status: 422,
    body: { error: 'invalid_input', errors: { date_of_birth: expect.stringContaining('cannot be changed') as string } },
  });
  expect(await read(consumer)).toMatchObject({ full_name: 'Ana', date_of_birth: Date.UTC(2016, 2, 5) / 1000 });
});

test('200: a merchant corrects the date of birth of a customer', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await update(consumer, { full_name: 'Ana', date_of_birth: '2016-03-05' });
  const change = { id: consumer.id, full_name: 'Ana', date_of_birth: '2006-03-05' };
  expect(await update(merchant, change)).toMatchObject({ status: 200, body: { date_of_birth: 1_141_516_800 } });
  expect(await read(consumer)).toMatchObject({ date_of_birth: 1_141_516_800 });
});

test('400 missing_parameter: the name is needed', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await update(consumer, { referrer: 'x' })).toMatchObject({
    status: 400,
    body: { errors: { full_name: 'The full_name must not be empty.' } },
  });
});

test('401 invalid_auth_token: nobody without a token changes anything', async () => {
  expect(await update(undefined, { full_name: 'Ana' })).toMatchObject({ status: 401 });
});

test('403 forbidden: a follower without `accounts:write` changes no customer', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { updateAccount } = await import('../../src/accounts/details.js');
  const reader = {
    accountId: merchant.id,
    accountUuid: merchant.uuid,
    merchantId: merchant.id,
    merchantUuid: merchant.uuid,
    role: 'merchant',
    scopes: ['accounts:read'],
    sessionId: '',
    clientAddress: '127.0.0.1',
    dateOfBirth: null,
  } as const;
  const change = { id: consumer.id, full_name: 'Mallory' };
  await expect(updateAccount(reader, change, 'request')).rejects.toMatchObject({ code: 'forbidden' });
});

test('400 missing_parameter: a consumer without a date of birth, while its merchant verifies ages', async () => {
  const merchant = await createMerchant(app);
  const [young, known] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  await update(known, { full_name: 'Ana', date_of_birth: '1999-03-05' });
  await app.pool.query('UPDATE restriction_settings SET age_verification_enabled = true WHERE merchant_id = $1', [
    merchant.id,
  ]);
  expect(await update(young, { full_name: 'Ana' })).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { date_of_birth: 'The date_of_birth must not be empty.' } },
  });
  expect((await update(young, { full_name: 'Ana', date_of_birth: '2001-03-05' })).status).toBe(200);
  for (const person of [young, known, merchant])
    expect((await update(person, { full_name: 'Ana P.' })).status).toBe(200);
});
