import { brandFields, createBrand, defaultsOf, readBrand, storedBrands } from '../support/branding';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const remove = (id: number | undefined) => call(app, 'DELETE', `/branding/paywall/${id}`, undefined, merchant);
const notFound = { status: 404, body: { error: 'brand_not_found', message: 'Brand not found' } };

test('200: the brand is gone, and whoever asks for it is shown the default one', async () => {
  const id = await createBrand({ app, merchant });
  const [first] = await defaultsOf(app, merchant);
  expect(await remove(id)).toMatchObject({ status: 200, body: { code: 200, message: 'Brand successfully deleted' } });
  expect((await readBrand(app, merchant.uuid, id)).body).toMatchObject({ exists: false, id: first });
  expect(await remove(id)).toMatchObject(notFound);
});

test('409 default_brand: the default one stays', async () => {
  const [id] = await defaultsOf(app, merchant);
  expect(await remove(id)).toMatchObject({
    status: 409,
    body: { error: 'default_brand', message: 'The default brand cannot be deleted' },
  });
  expect(await defaultsOf(app, merchant)).toEqual([id]);
});

test('409 default_brand: deleting a brand while it becomes the default leaves the merchant with one', async () => {
  for (let round = 0; round < 6; round += 1) {
    const id = await createBrand({ app, merchant });
    const promotion = { ...brandFields, id, default: true };
    const [removed, promoted] = await Promise.all([
      remove(id),
      call(app, 'PUT', '/branding/paywall', promotion, merchant),
    ]);
    expect([
      [200, 404],
      [409, 200],
    ]).toContainEqual([removed.status, promoted.status]);
    expect(await defaultsOf(app, merchant)).toHaveLength(1);
  }
});

test('404 brand_not_found: another merchant’s brand, and none; and nothing changes', async () => {
  const other = await createMerchant(app);
  const theirs = await createBrand({ app, merchant: other });
  const before = await storedBrands(app, other);
  for (const id of [theirs, 2_000_000_000]) expect(await remove(id)).toMatchObject(notFound);
  expect(await storedBrands(app, other)).toEqual(before);
});
