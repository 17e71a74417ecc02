import { createMerchant, type Person } from '../support/factories';
import { createFollower } from '../support/followers';
import { enterConsole } from '../support/pageWalker';
import { listFilters, overdue, saveFilter } from '../support/savedFilters';
import { createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

const save = (fields: object = {}, by = merchant) => saveFilter(app, by, fields);

test('201: the filter is in the list of the person, and above the list in the console', async () => {
  const { status, body } = await save();
  expect([status, body]).toMatchObject([201, overdue]);
  expect((await listFilters(app, merchant)).collection).toEqual([body]);
  const walker = await enterConsole(app, merchant.email);
  expect((await walker.open('/console/subscriptions')).text).toMatch(
    /<a href="\/console\/subscriptions\?status=past_due"[^>]*>Overdue<\/a>/,
  );
});

test.each([
  ['items', { search: 'Cup', sort: 'title', order: 'asc' }],
  ['packages', { search: 'Season' }],
  ['vouchers', { search: 'SPRING' }],
  ['customers', { search: 'ann@example.org', sort: 'email', order: 'desc' }],
  ['transactions', { type: 'refund', startDate: '2026-01-01', endDate: '2026-01-31' }],
  ['invoices', { search: 'INV', kind: 'credit_note' }],
  ['audit', { action: 'payment.refund' }],
  ['audit', { object_type: 'item', object_id: '7' }],
  ['subscriptions', { account_id: '7' }],
  ['transactions', { account_id: '7' }],
])('201: the filter of %s, with all its values', async (list, query) => {
  expect((await save({ list, query })).body).toMatchObject({ list, query });
});

test('201: staff and followers without any scope save filters of their own', async () => {
  const member = await createStaff(app, merchant, { role: 'editor' });
  const follower = await createFollower(app, merchant, []);
  for (const person of [member, follower, merchant]) {
    expect((await save({}, person)).status).toBe(201);
    expect((await listFilters(app, person)).total).toBe(1);
  }
});

test('201: a name of 60 characters; 422 invalid_input: one of 61', async () => {
  expect((await save({ name: 'x'.repeat(60) })).status).toBe(201);
  expect((await save({ name: 'x'.repeat(61) })).status).toBe(422);
});

test.each([
  ['query.status', { query: { status: 'odd' } }],
  ['query.search', { query: { status: 'active', search: 'Cup' } }],
  ['query.page', { query: { status: 'active', page: '2' } }],
  ['query.toString', { query: { status: 'active', toString: 'x' } }],
  ['query.startDate', { list: 'transactions', query: { startDate: 'soon' } }],
  ['query.account_id', { query: { account_id: 'ann@example.org' } }],
  ['query.object_id', { list: 'audit', query: { object_type: 'item' } }],
  ['query.object_type', { list: 'audit', query: { object_id: '7' } }],
  ['query', { query: { status: '' } }],
  ['list', { list: 'webhooks' }],
  ['list', { list: 'constructor' }],
])('422 invalid_input: %s of %j, and nothing is saved', async (field, fields) => {
  const { status, body } = await save(fields);
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  expect((await listFilters(app, merchant)).total).toBe(0);
});

test('400 missing_parameter: no list, no name, no filter', async () => {
  const { status, body } = await save({ list: undefined, name: undefined, query: undefined });
  expect([status, Object.keys(body.errors)]).toEqual([400, ['list', 'name', 'query']]);
});

test('422 invalid_input: a name in use, also in other letters; another list may use it', async () => {
  await save();
  const { status, body } = await save({ name: 'OVERDUE', query: { status: 'active' } });
  expect([status, body.errors]).toEqual([422, { name: 'The name is in use for another saved filter.' }]);
  expect((await save({ list: 'items', query: { search: 'Cup' } })).status).toBe(201);
});

test('422 invalid_input: the twenty-first of a list, also of many at once', async () => {
  const made = await Promise.all(Array.from({ length: 22 }, (_, index) => save({ name: `Filter ${index}` })));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
  expect((await save({ name: 'One more' })).body.errors).toEqual({ name: 'The list has 20 saved filters.' });
  expect((await save({ list: 'items', query: { search: 'Cup' } })).status).toBe(201);
});
