import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { listFilters, saveFilter } from '../support/savedFilters';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

test('200: none, then those of one list or of all, in the order in which they were saved', async () => {
  expect(await listFilters(app, merchant)).toEqual({ total: 0, page: 1, offset: 0, limit: 0, collection: [] });
  const overdue = (await saveFilter(app, merchant)).body;
  const cups = (await saveFilter(app, merchant, { list: 'items', query: { search: 'Cup' } })).body;
  expect((await listFilters(app, merchant)).collection).toEqual([overdue, cups]);
  expect(await listFilters(app, merchant, 'items')).toMatchObject({ total: 1, collection: [cups] });
  expect((await listFilters(app, merchant, 'audit')).collection).toEqual([]);
});

test('200: nobody sees the filters of another person', async () => {
  await saveFilter(app, merchant);
  const others = [await createStaff(app, merchant, { role: 'owner' }), await createMerchant(app)];
  for (const other of others) expect((await listFilters(app, other)).total).toBe(0);
});

test('422 invalid_input: a list that has no filters', async () => {
  const { status, body } = await call<{ errors: object }>(
    app,
    'GET',
    '/v2/saved-filters?list=webhooks',
    undefined,
    merchant,
  );
  expect([status, Object.keys(body.errors)]).toEqual([422, ['list']]);
});
