import { createMerchant } from '../../support/factories';
import { manage } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the minimum age, with when it was set and changed', async () => {
  const merchant = await createMerchant(app);
  await manage(app, { merchant }, 'POST', 'age', { min_age: 18 });
  await manage(app, { merchant }, 'POST', 'age', { min_age: 16 });
  const { status, body } = await manage(app, { merchant }, 'GET', 'age');
  expect([status, body]).toEqual([
    200,
    {
      min_age: 16,
      merchant_uuid: merchant.uuid,
      created_at: expect.any(Number) as number,
      updated_at: expect.any(Number) as number,
    },
  ]);
});

test('404 restriction_not_found: none was set', async () => {
  const merchant = await createMerchant(app);
  expect(await manage(app, { merchant }, 'GET', 'age')).toMatchObject({
    status: 404,
    body: { error: 'restriction_not_found' },
  });
});
