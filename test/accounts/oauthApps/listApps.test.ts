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
