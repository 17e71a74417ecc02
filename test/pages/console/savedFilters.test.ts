import { call } from '../../support/client';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { erase } from '../../support/privacy';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** Filters of lists that a person saves, opens and deletes. */

let app: TestApp;
let merchant: Person;
let walker: PageWalker;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => {
  merchant = await createMerchant(app);
  walker = await enterConsole(app, merchant.email);
});

const save = (name: string, fields: Record<string, string>, list = 'subscriptions', by = walker) =>
  by.submit(`/console/filters/${list}`, { name, ...fields });
const overdue = { filter_status: 'past_due' };

/** The saved filters above a list, by name. */
async function chipsOn(path: string, by = walker) {
  const { text } = await by.open(path);
  return [
    ...text.matchAll(/<li class="chip[^"]*">\s*<a href="([^"]+)"[^>]*>([^<]+)<\/a>\s*<form[^>]*action="([^"]+)"/g),
  ].map(([, address = '', name = '', deletion = '']) => ({
    name,
    address: address.replaceAll('&amp;', '&'),
    deletion,
  }));
}

test('303: a filter is saved from its list, and is a link there from then on', async () => {
  const { text } = await walker.open('/console/subscriptions?status=past_due&page=1');
  expect(text).toContain('name="filter_status" value="past_due"');
  const saved = await save('Overdue', overdue);
  expect([saved.status, saved.headers.get('location')]).toEqual([
    303,
    '/console/subscriptions?status=past_due&done=saved',
  ]);
  const [chip] = await chipsOn('/console/subscriptions');
  expect(chip).toMatchObject({ name: 'Overdue', address: '/console/subscriptions?status=past_due' });
  const again = await walker.open('/console/subscriptions?status=past_due');
  expect(again.text).toContain('aria-current="true"');
  expect(again.text).not.toContain('Save this filter');
  expect(await chipsOn('/console/customers')).toEqual([]);
});

test.each([
  ['items', '/console/items', { search: 'Cup' }],
  ['packages', '/console/packages', { search: 'Season' }],
  ['vouchers', '/console/vouchers', { search: 'SPRING' }],
  ['customers', '/console/customers', { search: 'ann@example.org' }],
  ['transactions', '/console/transactions', { type: 'refund', startDate: '2026-01-01', endDate: '2026-01-31' }],
  ['invoices', '/console/invoices', { search: 'INV', kind: 'credit_note' }],
  ['audit', '/console/audit', { action: 'payment.refund' }],
])('303: the filter of %s, with all its values', async (list, path, query) => {
  await walker.open(path);
  const fields = Object.fromEntries(Object.entries(query).map(([name, value]) => [`filter_${name}`, value]));
  expect((await save('Mine', fields, list)).status).toBe(303);
  const [chip] = await chipsOn(path);
  expect(Object.fromEntries(new URL(chip?.address ?? '', 'http://console').searchParams)).toEqual(query);
  expect((await walker.open(chip?.address ?? '')).status).toBe(200);
});

test.each(['subscriptions', 'transactions'])(
  '303: the filter of %s by a customer follows the customer',
  async (list) => {
    const customer = await createConsumer(app, merchant);
    const path = `/console/${list}`;
    const { text } = await walker.open(`${path}?customer=${customer.email.toUpperCase()}`);
    expect(text).toContain(`name="filter_account_id" value="${customer.id}"`);
    const saved = await save('Ann', { filter_account_id: String(customer.id) }, list);
    expect([saved.status, saved.headers.get('location')]).toEqual([303, `${path}?customer=${customer.id}&done=saved`]);
    await app.pool.query(`UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1`, [
      customer.id,
      `moved-${customer.id}@example.org`,
    ]);
    const [chip] = await chipsOn(path);
    const again = await walker.open(chip?.address ?? '');
    expect([chip?.address, again.status]).toEqual([`${path}?customer=${customer.id}`, 200]);
    expect(again.text).toMatch(new RegExp(`name="customer"[^>]*value="moved-${customer.id}@example.org"`));
    expect(again.text).toContain('aria-current="true"');
  },
);

test('303: the filter of the audit log by an object', async () => {
  const path = '/console/audit?object_id=7&object_type=item';
  const { text } = await walker.open(path);
  for (const [name, value] of [
    ['object_type', 'item'],
    ['object_id', '7'],
  ] as const)
    expect(text).toContain(`name="filter_${name}" value="${value}"`);
  await save('The seventh', { filter_object_type: 'item', filter_object_id: '7' }, 'audit');
  expect((await chipsOn('/console/audit')).map(({ address }) => address)).toEqual([path]);
  expect((await walker.open(path)).text).toContain('aria-current="true"');
});

test('200: names from elsewhere are left out, so a filter leads to its list only', async () => {
  await walker.open('/console/subscriptions');
  await save('Overdue', {
    ...overdue,
    filter_next: 'https://evil.example',
    filter_page: '7',
    address: '//evil.example',
  });
  const { rows } = await app.pool.query('SELECT list, query FROM saved_filters WHERE account_id = $1', [merchant.id]);
  expect(rows).toEqual([{ list: 'subscriptions', query: { status: 'past_due' } }]);
});

test('422 invalid_input: a value that the list does not have, no filter, no name, a long name', async () => {
  await walker.open('/console/subscriptions');
  const refused = [
    await save('Odd', { filter_status: 'odd' }),
    await save('Nothing', { filter_status: '' }),
    await save('', overdue),
    await save('x'.repeat(61), overdue),
    await save('When', { filter_startDate: 'soon' }, 'transactions'),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect(await chipsOn('/console/subscriptions')).toEqual([]);
});

test('422 invalid_input: a name in use, also in other letters; the form keeps the filter', async () => {
  await walker.open('/console/subscriptions');
  await save('Overdue', overdue);
  const { status, text } = await save('OVERDUE', { filter_status: 'active' });
  expect(status).toBe(422);
  expect(text).toContain('You have a filter with this name.');
  expect(text).toContain('name="filter_status" value="active"');
  expect((await save('overdue', { filter_search: 'Cup' }, 'items')).status).toBe(303);
});

test('422 invalid_input: the twenty-first, also of many at once', async () => {
  await walker.open('/console/subscriptions');
  const made = await Promise.all(Array.from({ length: 22 }, (_, index) => save(`Filter ${index}`, overdue)));
  expect(made.filter(({ status }) => status === 303)).toHaveLength(20);
  const { text } = await save('One more', overdue);
  expect(text).toContain('This list has 20 saved filters.');
  expect((await save('Elsewhere', { filter_search: 'Cup' }, 'items')).status).toBe(303);
});

test('404 not_found: a list that has no filters', async () => {
  await walker.open('/console');
  expect((await save('Mine', overdue, 'webhooks')).status).toBe(404);
  expect((await save('Mine', overdue, 'constructor')).status).toBe(404);
});

test('303: a filter is deleted once', async () => {
  await walker.open('/console/subscriptions');
  await save('Overdue', overdue);
  const [chip] = await chipsOn('/console/subscriptions');
  const deleted = await walker.submit(chip?.deletion ?? '');
  expect([deleted.status, deleted.headers.get('location')]).toEqual([303, '/console/subscriptions?done=deleted']);
  expect(await chipsOn('/console/subscriptions')).toEqual([]);
  expect((await walker.submit(chip?.deletion ?? '')).status).toBe(404);
});

describe('the filters of other people', () => {
  let others: Record<string, string>;
  let deletion: string;
  beforeEach(async () => {
    await walker.open('/console/subscriptions');
    await save('Overdue', overdue);
    deletion = (await chipsOn('/console/subscriptions'))[0]?.deletion ?? '';
    others = {
      member: (await createStaff(app, merchant, { role: 'admin' })).email,
      follower: (await createFollower(app, merchant, ['payments:read'])).email,
      stranger: (await createMerchant(app)).email,
    };
  });

  test.each(['member', 'follower', 'stranger'])('404 not_found: a %s neither sees nor deletes them', async (who) => {
    const other = await enterConsole(app, others[who] ?? '');
    expect(await chipsOn('/console/subscriptions', other)).toEqual([]);
    expect((await other.submit(deletion)).status).toBe(404);
    expect((await save('Overdue', overdue, 'subscriptions', other)).status).toBe(303);
    expect(await chipsOn('/console/subscriptions')).toHaveLength(1);
  });
});

const countOf = async (accountId: number) =>
  (await app.pool.query('SELECT 1 FROM saved_filters WHERE account_id = $1', [accountId])).rows.length;

test('200: the filters of a removed member are deleted, and no others', async () => {
  const member = await createStaff(app, merchant, { role: 'admin' });
  for (const { email } of [merchant, member]) {
    const person = await enterConsole(app, email);
    await person.open('/console/subscriptions');
    await save('Overdue', overdue, 'subscriptions', person);
  }
  expect([await countOf(member.id), await countOf(merchant.id)]).toEqual([1, 1]);
  await call(app, 'DELETE', `/v2/staff/${member.id}`, undefined, merchant);
  expect([await countOf(member.id), await countOf(merchant.id)]).toEqual([0, 1]);
});

test('an erasure deletes the saved searches for the name or the address of the customer, and no others', async () => {
  const customer = await createConsumer(app, merchant);
  await walker.open('/console/customers');
  const searches = { Name: 'ANA petrova', Address: customer.email.toUpperCase(), Company: 'Ana Petrova & Sons' };
  for (const [name, search] of Object.entries(searches)) await save(name, { filter_search: search }, 'customers');
  await save('ana Petrova', { filter_search: 'ana' }, 'customers');
  await erase(app, customer);
  expect((await chipsOn('/console/customers')).map(({ name }) => name)).toEqual(['Company']);
});

test('an erasure deletes the saved filters by the id of the customer, and no others', async () => {
  const customer = await createConsumer(app, merchant);
  const other = await createConsumer(app, merchant);
  await walker.open('/console/subscriptions');
  for (const { id } of [customer, other]) {
    await save(`Of ${id}`, { filter_account_id: String(id) });
    await save(`Of ${id}`, { filter_account_id: String(id) }, 'transactions');
    await save(`Of ${id}`, { filter_object_type: 'account', filter_object_id: String(id) }, 'audit');
  }
  await save('Item', { filter_object_type: 'item', filter_object_id: String(customer.id) }, 'audit');
  await erase(app, customer);
  const left = await Promise.all(['subscriptions', 'transactions', 'audit'].map((list) => chipsOn(`/console/${list}`)));
  expect(left.map((chips) => chips.map(({ name }) => name))).toEqual([
    [`Of ${other.id}`],
    [`Of ${other.id}`],
    [`Of ${other.id}`, 'Item'],
  ]);
});

describeInBrowser('saved filters', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test('200: by keyboard, accessible, and fit for a phone', async () => {
    const visitor = await chromium.newVisitor();
    const { page } = visitor;
    const { open, enter } = consoleVisitor(
      () => app,
      () => visitor,
    );
    await enter(merchant.email);
    for (const [name, status] of [
      ['Overdue', 'past_due'],
      ['On trial until the summer sale ends', 'trialing'],
    ] as const) {
      await open(`/console/subscriptions?status=${status}`);
      await page.getByText('Save this filter').press('Enter');
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Name').press('Enter');
      await page.getByText('Saved.').waitFor();
    }
    expect(await faultsOf(visitor, 'saved-filters')).toEqual([]);
    await page.getByRole('link', { name: 'Overdue' }).press('Enter');
    await page.waitForURL('**/console/subscriptions?status=past_due');
    await page.getByRole('button', { name: 'Delete filter: Overdue' }).press('Enter');
    await page.getByText('Deleted.').waitFor();
    await visitor.context.close();
  });
});
