import { createPackage, type Package } from '../../support/catalogue';
import { call } from '../../support/client';
import { createItem, createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const reactivate = (id: number, token: { token: string }) =>
  call(app, 'PUT', `/items/packages/reactivate-package/${id}`, undefined, token);

test('200: the package is sold again', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createPackage(app, merchant);
  await call(app, 'DELETE', `/items/packages/${id}`, undefined, merchant);
  expect(await reactivate(id, merchant)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Package successfully reactivated' },
  });
  expect((await call<Package>(app, 'GET', `/items/packages/${id}`)).body.is_active).toBe(true);
});

test('404 item_not_found: no such package, an item that is none, and a package of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const item = await createItem(app, merchant);
  const foreign = await createPackage(app, other);
  for (const id of [2_147_483_647, item.id, foreign.id])
    expect(await reactivate(id, merchant)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});
