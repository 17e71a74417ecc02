import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person, registration } from '../../support/factories';
import { bornOn, createOpenShop, manage, refusalOf } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const set = (merchant: Person, enabled: unknown, type = 'basic') =>
  manage(app, { merchant }, 'PATCH', 'settings', {
    age_verification_enabled: enabled,
    age_verification_type: type,
    merchant_uuid: merchant.uuid,
  });

test('200: stored, and read by everyone', async () => {
  const merchant = await createMerchant(app);
  expect(await set(merchant, 'true', 'pin_code')).toMatchObject({ status: 200, body: { code: 200 } });
  expect((await call(app, 'GET', `/restrictions/settings/${merchant.uuid}`)).body).toMatchObject({
    age_verification_enabled: true,
    age_verification_type: 'pin_code',
  });
  await set(merchant, 'false');
  expect((await call(app, 'GET', `/restrictions/settings/${merchant.uuid}`)).body).toMatchObject({
    age_verification_enabled: false,
    age_verification_type: 'basic',
  });
});

test('200: with pin codes, who is old enough needs one in addition', async () => {
  const shop = await createOpenShop(app, '1980-02-29');
  await set(shop.merchant, 1, 'pin_code');
  expect(await refusalOf(app, shop)).toBe('pin');
  await manage(app, shop, 'POST', 'age', { min_age: 18 });
  expect(await refusalOf(app, shop)).toBe('pin');
  await bornOn(app, shop.consumer, null);
  expect(await refusalOf(app, shop)).toBe('age');
  await bornOn(app, shop.consumer, '1980-02-29');
  await set(shop.merchant, 0, 'pin_code');
  expect(await refusalOf(app, shop)).toBeUndefined();
});

describe('while ages are verified', () => {
  const paths = ['/accounts', '/v2/accounts'];

  test.each(paths)('a consumer registers with a date of birth only, as Unix seconds or ISO 8601: %s', async (path) => {
    const merchant = await createMerchant(app);
    await set(merchant, 1);
    const register = (more: Record<string, unknown>) =>
      call(app, 'POST', path, { ...registration('consumer', merchant.uuid), ...more });
    for (const none of [{}, { date_of_birth: '' }]) {
      const { status, body } = await register(none);
      expect([status, body['message'], body['errors']]).toEqual([
        400,
        'Missing required parameter: The date_of_birth must not be empty.',
        { date_of_birth: expect.any(String) as string },
      ]);
    }
    for (const date_of_birth of ['951782400', '2000-02-29', '2000-02-29T00:00:00Z'])
      expect((await register({ date_of_birth })).body['account']).toMatchObject({ date_of_birth: 951_782_400 });
    const tomorrow = Math.ceil(Date.now() / 1000) + 86_400;
    for (const date_of_birth of [tomorrow, 'yesterday', '1800-01-01']) {
      const { status, body } = await register({ date_of_birth });
      expect([status, body['errors']]).toEqual([422, { date_of_birth: expect.any(String) as string }]);
    }
  });

  test('through one of the merchant’s apps as well', async () => {
    const merchant = await createMerchant(app);
    const { body } = await call<{ client_id: string; id: number }>(
      app,
      'POST',
      '/accounts/apps',
      { name: 'TV' },
      merchant,
    );
    await set(merchant, 1);
    const reply = await call(app, 'POST', '/accounts', registration('consumer', body.client_id));
    expect([reply.status, reply.body['errors']]).toEqual([400, { date_of_birth: expect.any(String) as string }]);
  });

  test('a merchant may create a customer without one, or with one', async () => {
    const merchant = await createMerchant(app);
    await set(merchant, 1);
    const create = (fields: Record<string, unknown>) => call(app, 'POST', '/v2/accounts/customers', fields, merchant);
    expect((await create({ email: `a-${merchant.uuid}@example.org` })).status).toBe(200);
    const email = `b-${merchant.uuid}@example.org`;
    expect((await create({ email, date_of_birth: '2000-02-29' })).status).toBe(200);
    const { rows } = await app.pool.query('SELECT date_of_birth::text AS born FROM accounts WHERE email = $1', [email]);
    expect(rows).toEqual([{ born: '2000-02-29' }]);
    expect((await create({ email: `c-${merchant.uuid}@example.org`, date_of_birth: '2999-01-01' })).status).toBe(422);
  });

  test('other merchants’ consumers, and merchants, register as ever', async () => {
    const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
    await set(merchant, 1);
    await createConsumer(app, other);
    await createMerchant(app);
    await set(merchant, 0);
    await createConsumer(app, merchant);
  });
});

test('404 account_not_found: another merchant’s uuid, whose settings stay', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const fields = { age_verification_enabled: 1, age_verification_type: 'basic', merchant_uuid: other.uuid };
  const { status, body } = await manage(app, { merchant }, 'PATCH', 'settings', fields);
  expect([status, body['error']]).toEqual([404, 'account_not_found']);
  await createConsumer(app, other);
  await createConsumer(app, merchant);
});

test('422 invalid_input: a type that there is not', async () => {
  const { status, body } = await set(await createMerchant(app), 1, 'passport');
  expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, ['age_verification_type']]);
});
