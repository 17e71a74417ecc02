import qs from 'qs';
import { createItems, createPackage, idsOf, type Package, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = (merchant: Person, query: object = {}) =>
  call<Page<Package>>(app, 'GET', `/items/packages?${qs.stringify(query)}`, undefined, merchant);

test('200: the merchant’s packages, newest first, with all their fees and how many items on sale they hold', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await createItem(app, merchant);
  await createPackage(app, other);
  const [one, two] = await createItems(app, merchant, ['One', 'Two']);
  const first = await createPackage(app, merchant, { title: 'First', items: [one?.id, two?.id], content: 'All' });
  const second = await createPackage(app, merchant, { title: 'Second' });
  const fee = await createFee(app, merchant, first.id, { expires_at: 1_700_000_000 });
  await call(app, 'DELETE', `/items/${two?.id}`, undefined, merchant);
  const { status, body } = await list(merchant);
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 2, page: 1, limit: 15 });
  expect(body.collection).toMatchObject([
    { id: second.id, items: 0, access_fees: [] },
    { id: first.id, items: 1, access_fees: [fee], content: '' },
  ]);
  expect(idsOf((await list(merchant, { page: 2, size: 1 })).body.collection)).toEqual([first.id]);
});

test('200: by words of the title, and by whether they are on sale', async () => {
  const merchant = await createMerchant(app);
  const gone = await createPackage(app, merchant, { title: 'Summer' });
  const sold = await createPackage(app, merchant, { title: 'Winter' });
  await call(app, 'DELETE', `/items/packages/${gone.id}`, undefined, merchant);
  const ids = async (query: object) => idsOf((await list(merchant, query)).body.collection);
  expect(await ids({ search: ['title:summer'] })).toEqual([gone.id]);
  expect(await ids({ active: 1 })).toEqual([sold.id]);
  expect(await ids({ active: 'inactive' })).toEqual([gone.id]);
});

test.each(['page=-1', 'size=501', 'search[]=content:x', 'active=perhaps'])('422 invalid_input: %s', async (query) => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'GET', `/items/packages?${query}`, undefined, merchant)).status).toBe(422);
});
