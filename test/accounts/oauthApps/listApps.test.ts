import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createApp, listApps } from '../../support/oauthApps';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: a merchant begins with its default app, and sees its own apps only', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await createApp(app, other);
  const { total, collection } = await listApps(app, merchant);
  expect(total).toBe(1);
  expect(collection[0]).toMatchObject({
    client_id: merchant.uuid,
    default: 1,
    active: 1,
    grantTypes: 'password,refresh_token',
  });
});

test('200: the apps in the order they were made, none with a secret', async () => {
  const merchant = await createMerchant(app);
  const created = [await createApp(app, merchant, 'Website'), await createApp(app, merchant, 'Phone')];
  const { total, collection } = await listApps(app, merchant);
  expect([total, ...collection.map(({ name }) => name)]).toEqual([3, 'Default', 'Website', 'Phone']);
  const told = JSON.stringify(collection);
  for (const { secret } of created) expect(told).not.toContain(secret);
});

test('200: page and size select a part of the list; without them it has at most 500 apps', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO oauth_apps (merchant_id, client_id, name, grant_types, secret_hash)
     SELECT $1, gen_random_uuid(), 'App ' || n, grant_types, secret_hash
     FROM oauth_apps, generate_series(1, 500) AS n WHERE merchant_id = $1`,
    [merchant.id],
  );
  const page = async (query: string) => {
    const { body } = await call<{ total: number; collection: { name: string }[] }>(
      app,
      'GET',
      `/accounts/apps${query}`,
      undefined,
      merchant,
    );
    return [body.total, body.collection.length, body.collection[0]?.name];
  };
  expect(await page('?size=2')).toEqual([501, 2, 'Default']);
  expect(await page('?size=2&page=2')).toEqual([501, 2, 'App 2']);
  expect(await page('')).toEqual([501, 500, 'Default']);
  expect(await page('?page=2')).toEqual([501, 1, 'App 500']);
});
