import { createItems, createPackage, idsOf, type Package, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const get = <Body = Package & Page<Package>>(id: number | string, query = '') =>
  call<Body>(app, 'GET', `/items/packages/${id}${query}`);

test('200: for anyone the package itself, and at once a page of it; never its content', async () => {
  const merchant = await createMerchant(app);
  const items = idsOf(await createItems(app, merchant, ['One', 'Two']));
  const made = await createPackage(app, merchant, { items, content: 'Secret' });
  const fee = await createFee(app, merchant, made.id);
  await createFee(app, merchant, made.id, { expires_at: 1_700_000_000 });
  const shown = { ...made, content: '', items: 2, access_fees: [fee] };
  const { status, body } = await get(made.id);
  expect(status).toBe(200);
  expect(body).toEqual({ ...shown, total: 1, page: 1, offset: 0, limit: 15, collection: [shown] });
  expect((await get(made.id, '?page=2')).body).toMatchObject({ id: made.id, total: 1, page: 2, collection: [] });
});

test('200: a package that is sold no longer, without prices', async () => {
  const merchant = await createMerchant(app);
  const { id } = await createPackage(app, merchant);
  await createFee(app, merchant, id);
  await call(app, 'DELETE', `/items/packages/${id}`, undefined, merchant);
  expect((await get(id)).body).toMatchObject({ is_active: false, access_fees: [] });
});

test('200: by a merchant’s uuid the packages that it sells', async () => {
  const merchant = await createMerchant(app);
  await createItem(app, merchant);
  const gone = await createPackage(app, merchant, { title: 'Gone' });
  const sold = await createPackage(app, merchant, { content: 'Secret' });
  await call(app, 'DELETE', `/items/packages/${gone.id}`, undefined, merchant);
  const { status, body } = await get<Page<Package>>(merchant.uuid);
  expect(status).toBe(200);
  expect(body).toEqual({ total: 1, page: 1, offset: 0, limit: 15, collection: [{ ...sold, content: '' }] });
  expect((await get<Page<Package>>(merchant.uuid, '?limit=1&page=2')).body.collection).toEqual([]);
});

test('404 item_not_found: no such package or merchant, and an item that is none', async () => {
  const { id } = await createItem(app, await createMerchant(app));
  for (const unknown of [2_147_483_647, id, 'x', '00000000-0000-4000-8000-000000000000'])
    expect(await get(unknown)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test.each(['page=-1', 'size=501'])('422 invalid_input: %s', async (query) => {
  const merchant = await createMerchant(app);
  expect((await get(merchant.uuid, `?${query}`)).status).toBe(422);
});
