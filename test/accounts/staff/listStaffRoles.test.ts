import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/staff/roles';

test('200: a role is listed, created, changed and deleted', async () => {
  const merchant = await createMerchant(app);
  const fields = { name: 'Desk', scopes: ['vouchers:read', 'items:read'] };
  const { status, body } = await call<{ id: number }>(app, 'POST', path, fields, merchant);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: 'Desk', scopes: ['items:read', 'vouchers:read'] },
  });
  const own = `${path}/${body.id}`;
  expect((await call(app, 'PUT', own, { name: 'News', scopes: ['items:read'] }, merchant)).status).toBe(200);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([
    expect.objectContaining({ id: body.id, name: 'News', scopes: ['items:read'] }),
  ]);
  expect((await call(app, 'DELETE', own, undefined, merchant)).status).toBe(200);
  expect((await call(app, 'GET', path, undefined, merchant)).body).toEqual([]);
});
