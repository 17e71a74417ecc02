import { createMerchant, type Person } from '../support/factories';
import { deleteFilter, listFilters, saveFilter } from '../support/savedFilters';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

test('200: the filter is deleted and the others stay; its name is free again', async () => {
  const { id } = (await saveFilter(app, merchant)).body;
  const other = (await saveFilter(app, merchant, { name: 'Other' })).body;
  expect((await deleteFilter(app, merchant, id)).status).toBe(200);
  expect((await listFilters(app, merchant)).collection).toEqual([other]);
  expect((await saveFilter(app, merchant)).status).toBe(201);
});

test('404 saved_filter_not_found: deleted before, of another person, or never saved', async () => {
  const { id } = (await saveFilter(app, merchant)).body;
  const member = await createStaff(app, merchant, { role: 'admin' });
  for (const stranger of [member, await createMerchant(app)])
    expect(await deleteFilter(app, stranger, id)).toMatchObject({
      status: 404,
      body: { error: 'saved_filter_not_found' },
    });
  expect((await deleteFilter(app, merchant, 2_147_483_647)).status).toBe(404);
  expect((await deleteFilter(app, merchant, id)).status).toBe(200);
  expect((await deleteFilter(app, merchant, id)).status).toBe(404);
});
