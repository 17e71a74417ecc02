import { createCode, enterCode } from '../../support/access';
import { call } from '../../support/client';
import { createShop, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const remove = (codeId: number | string, merchant: Person) =>
  call<{ error?: string; message: string }>(app, 'DELETE', `/items/access/codes/${codeId}`, undefined, merchant);

test('200: the code opens nothing any more, on no device, and may be made anew', async () => {
  const shop = await createShop(app);
  const { body: code } = await createCode(app, shop, { code: 'SUMMER-26' });
  await enterCode(app, shop.item.id, code.code, 'television');
  expect(await remove(code.code_id, shop.merchant)).toMatchObject({
    status: 200,
    body: { message: 'Code successfully deleted' },
  });
  expect(await enterCode(app, shop.item.id, code.code, 'television')).toMatchObject({
    status: 401,
    body: { error: 'invalid_access_code' },
  });
  expect((await createCode(app, shop, { code: 'SUMMER-26' })).body).toMatchObject({ devices: 0 });
});

test('404 access_code_not_found: deleted already, of another merchant, or no id', async () => {
  const [mine, theirs] = [await createShop(app), await createShop(app)];
  const { body: code } = await createCode(app, theirs, { code: 'THEIRS-26' });
  for (const named of [code.code_id, 'THEIRS-26', '4503599627370497', 1])
    expect(await remove(named, mine.merchant)).toMatchObject({
      status: 404,
      body: { error: 'access_code_not_found' },
    });
  expect((await enterCode(app, theirs.item.id, code.code)).status).toBe(200);
  await remove(code.code_id, theirs.merchant);
  expect((await remove(code.code_id, theirs.merchant)).status).toBe(404);
});
